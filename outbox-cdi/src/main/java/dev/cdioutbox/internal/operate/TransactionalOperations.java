package dev.cdioutbox.internal.operate;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;

import dev.cdioutbox.OutboxAuditEntry;
import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.OutboxOperations;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.internal.capture.AfterCommit;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.capture.message.UuidV7;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.admin.MessageOperation;
import dev.cdioutbox.internal.store.admin.OperatorStore;
import dev.cdioutbox.internal.store.admin.OperatorStore.ChangeCandidate;

/**
 * Implements the operations on messages and destinations, also in batches. A change and its audit entry are one
 * transaction; the log line follows the commit. Copies a message that is sent as new.
 */
@ApplicationScoped
public class TransactionalOperations implements OutboxOperations {
    private static final Logger LOG = Logger.getLogger(TransactionalOperations.class.getName());
    private static final String UNAUTHENTICATED = "unauthenticated";
    private static final int MAX_HISTORY = 500;

    /** In bytes of payload that are in memory while messages are copied; a single message may have more. */
    private static final int MAX_BYTES_HELD = 4 * 1024 * 1024;

    /** In bytes of payload: the transaction of a batch must not run into its time-out. */
    private static final int MAX_BATCH_BYTES = 16 * 1024 * 1024;

    @Inject
    OutboxStore store;

    @Inject
    OperatorStore operations;

    @Inject
    CurrentConfig config;

    @Inject
    Instance<Principal> caller;

    @Inject
    Outboxes outboxes;

    @Inject
    Instance<NamedOutboxOperations> others;

    @Inject
    Gauges gauges;

    private final Map<String, TransactionalOperations> named = new ConcurrentHashMap<>();

    @Override
    public TransactionalOperations outbox(String name) {
        OpenOutbox outbox = outboxes.get(name);
        if (outbox == null) {
            throw Problem.NO_SUCH_OUTBOX.exception(name, outboxes.names());
        }
        return outbox.isDefault()
                ? this
                : named.computeIfAbsent(name, first -> others.get().on(outbox));
    }

    @Override
    public List<OutboxMessage> find(OutboxFilter filter) {
        return store.find(filter, null);
    }

    @Override
    public OutboxPage page(OutboxFilter filter) {
        return store.page(filter);
    }

    @Override
    public Optional<OutboxMessage> get(UUID id) {
        return store.find(OutboxFilter.all().withLimit(1), id.toString()).stream()
                .findFirst();
    }

    @Override
    public List<OutboxAuditEntry> history(UUID id) {
        return operations.audit().lastOfMessage(id.toString(), MAX_HISTORY);
    }

    @Override
    public OutboxBacklog status() {
        OutboxBacklog backlog = store.backlog();
        OutboxConfig now = config.current();
        return gauges.node(now.outbox()) == null
                ? backlog
                : backlog.withInDoubt(now.destinations().keySet().stream()
                        .map(now::label)
                        .mapToInt(gauges::inDoubt)
                        .sum());
    }

    @Override
    public Map<String, Long> shadowed() {
        Map<String, Long> highest = new TreeMap<>();
        for (String destination : config.current().destinations().keySet()) {
            Long sequence = store.highestShadowed(destination);
            if (sequence != null) {
                highest.put(destination, sequence);
            }
        }
        return highest;
    }

    @Override
    public List<OutboxNode> nodes() {
        return store.nodes();
    }

    @Override
    @Transactional
    public int retry(OutboxFilter filter) {
        return changed(MessageOperation.RETRY, filter, AuditSubject.of(filter));
    }

    @Override
    @Transactional
    public boolean retry(UUID id) {
        return changed(MessageOperation.RETRY, id);
    }

    @Override
    @Transactional
    public int discard(OutboxFilter filter) {
        return changed(MessageOperation.DISCARD, filter, AuditSubject.of(filter));
    }

    @Override
    @Transactional
    public boolean discard(UUID id) {
        return changed(MessageOperation.DISCARD, id);
    }

    @Override
    @Transactional
    public int replay(OutboxFilter filter) {
        return changed(MessageOperation.REPLAY, filter, AuditSubject.of(filter));
    }

    @Override
    @Transactional
    public boolean replay(UUID id) {
        return changed(MessageOperation.REPLAY, id);
    }

    @Override
    @Transactional
    public int replayAsNew(OutboxFilter filter) {
        return changed(MessageOperation.REPLAY_AS_NEW, filter, AuditSubject.of(filter));
    }

    @Override
    @Transactional
    public boolean replayAsNew(UUID id) {
        return changed(MessageOperation.REPLAY_AS_NEW, id);
    }

    /**
     * Executes one batch of an operation that is too large for one transaction, on the oldest messages that match a
     * filter, up to its limit. Each batch has its own audit entry.
     *
     * @param filter the same for all batches, except {@code afterSequence}, which is the end of the previous batch
     * @param name the operation's name: 32 hexadecimal digits, the first twelve the time in milliseconds. With a name,
     *     a repeated batch copies no message twice. Null for an operation that is never repeated
     * @throws dev.cdioutbox.OutboxException if a concurrent call copies the same messages under this name
     */
    @Transactional
    public OperationBatch executeBatch(MessageOperation operation, OutboxFilter filter, String name) {
        return audit(operation, AuditSubject.of(filter), execute(operation, filter, name));
    }

    @Override
    @Transactional
    public boolean pause(String destination) {
        return setPaused(destination, true);
    }

    @Override
    @Transactional
    public boolean resume(String destination) {
        return setPaused(destination, false);
    }

    private boolean setPaused(String destination, boolean paused) {
        Boolean changed = operations.pause(destination, paused, who());
        if (changed == null) {
            throw Problem.UNKNOWN_PAUSE.exception(destination);
        }
        String action = paused ? "pause" : "resume";
        operations.audit().insert(who(), action, destination, changed ? 1 : 0, List.of());
        reportAfterCommit(action, destination, changed ? 1 : 0);
        return changed;
    }

    private int changed(MessageOperation operation, OutboxFilter filter, String subject) {
        return audit(operation, subject, execute(operation, filter, null)).changed();
    }

    private boolean changed(MessageOperation operation, UUID id) {
        Long sequence = operations.sequence(id.toString());
        return sequence != null
                && changed(operation, OutboxFilter.all().withSequence(sequence), AuditSubject.of(id)) > 0;
    }

    /**
     * Finds messages and changes exactly these: a second query by the filter could match other messages.
     *
     * @param name the name of an operation in batches, which may end a batch before the filter's limit; or null
     */
    Done execute(MessageOperation operation, OutboxFilter filter, String name) {
        List<ChangeCandidate> all = operations.changeCandidates(operation, filter);
        boolean mayEnd = name != null && operation == MessageOperation.REPLAY_AS_NEW;
        List<ChangeCandidate> found = mayEnd ? first(all, MAX_BATCH_BYTES) : all;
        boolean more = all.size() == filter.limit() || found.size() < all.size();
        Long last = more ? (Long) found.get(found.size() - 1).sequence() : null;
        return new Done(
                operation == MessageOperation.REPLAY_AS_NEW
                        ? copy(found, name)
                        : operations.change(operation, sequences(found)),
                last);
    }

    /** Copies messages in parts that fit into memory. */
    private List<Long> copy(List<ChangeCandidate> originals, String name) {
        List<Long> copied = new ArrayList<>();
        for (int from = 0; from < originals.size(); ) {
            List<ChangeCandidate> some = first(originals.subList(from, originals.size()), MAX_BYTES_HELD);
            List<OutboxMessage> read = store.find(sequences(some)).stream()
                    .filter(message -> !isErased(message.body()) && !isCopied(message, name))
                    .toList();
            if (!read.isEmpty()) {
                store.write(read.stream().map(original -> copy(original, name)).toList());
            }
            read.forEach(message -> copied.add(message.sequence()));
            from += some.size();
        }
        return copied;
    }

    /** Whether the client repeats a batch that has copied this message before. */
    private boolean isCopied(OutboxMessage original, String name) {
        return name != null && operations.sequence(copyId(name, original.id()).toString()) != null;
    }

    private static NewMessage copy(OutboxMessage original, String name) {
        Context context = original.context();
        return new NewMessage(
                copyId(name, original.id()),
                original.event(),
                original.body(),
                new Context(context.correlationId(), original.id().toString(), context.tenantId(), context.headers()),
                new Terms(null, null, original.terms().priority()),
                original.delivery().destination(),
                original.occurredAt());
    }

    /**
     * Creates the id of a copy. In a named operation, the id derives from the name and the original's id, so that a
     * repeated batch finds its copies. All are UUIDs of version 7; a name begins with the time.
     */
    static UUID copyId(String name, UUID original) {
        if (name == null) {
            return UuidV7.next(System.currentTimeMillis());
        }
        ByteBuffer hash = ByteBuffer.wrap(sha256(name + " " + original));
        return UuidV7.of(Long.parseUnsignedLong(name.substring(0, 12), 16), hash.getLong(), hash.getLong());
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The first candidates whose payloads fit into the limit, at least one. */
    private static List<ChangeCandidate> first(List<ChangeCandidate> candidates, int mostBytes) {
        long bytes = 0;
        int count = 0;
        for (ChangeCandidate candidate : candidates) {
            bytes += candidate.bytes();
            if (count > 0 && bytes > mostBytes) {
                break;
            }
            count++;
        }
        return candidates.subList(0, count);
    }

    private static List<Long> sequences(List<ChangeCandidate> candidates) {
        return candidates.stream().map(ChangeCandidate::sequence).toList();
    }

    private static boolean isErased(OutboxMessage.Body body) {
        return body.bytes() > 0 && body.text().isEmpty();
    }

    private OperationBatch audit(MessageOperation operation, String subject, Done done) {
        int changed = done.sequences().size();
        operations.audit().insert(who(), operation.action(), subject, changed, done.sequences());
        reportAfterCommit(operation.action(), subject, changed);
        return new OperationBatch(changed, done.last());
    }

    private void reportAfterCommit(String action, String subject, int changed) {
        String line = Problem.OPERATION_DONE.text(action, who(), changed, subject);
        transactions().registerInterposedSynchronization(new AfterCommit(() -> LOG.info(line)));
    }

    TransactionSynchronizationRegistry transactions() {
        return outboxes.standard().capture().transactions();
    }

    /** The caller's name from the container, or a fixed text without one. */
    private String who() {
        if (!caller.isResolvable()) {
            return UNAUTHENTICATED;
        }
        Principal principal = caller.get();
        try {
            return principal == null || principal.getName() == null ? UNAUTHENTICATED : principal.getName();
        } catch (RuntimeException unknown) {
            return UNAUTHENTICATED;
        }
    }

    /**
     * The result of a batch. Public, as JSON-B needs it.
     *
     * @param changed the number of messages that the batch has changed
     * @param after the start of the next batch: the highest sequence that the operation has processed, changed or not;
     *     null if no more follow
     */
    public record OperationBatch(int changed, Long after) {}

    /**
     * @param sequences the changed messages, or the originals of the copies
     * @param last the highest sequence that the operation has processed; null if no more follow
     */
    record Done(List<Long> sequences, Long last) {}
}

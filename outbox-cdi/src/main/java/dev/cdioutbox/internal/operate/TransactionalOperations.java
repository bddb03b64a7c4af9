package dev.cdioutbox.internal.operate;

import java.nio.ByteBuffer;
import java.security.Principal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.capture.event.StorableText;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.consume.ConsumerListeners;
import dev.cdioutbox.internal.consume.PausedConsumers;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.UuidV7;
import dev.cdioutbox.internal.store.capture.CaptureStore;
import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.AuditTable;
import dev.cdioutbox.internal.store.operate.BackfillTable;
import dev.cdioutbox.internal.store.operate.BacklogReader;
import dev.cdioutbox.internal.store.operate.BacklogReader.Backlog;
import dev.cdioutbox.internal.store.operate.Erased;
import dev.cdioutbox.internal.store.operate.MessageFinder;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.operate.OperatorStore;
import dev.cdioutbox.operate.OutboxAuditEntry;
import dev.cdioutbox.operate.OutboxBackfill;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxChange;
import dev.cdioutbox.operate.OutboxErasure;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxFinding;
import dev.cdioutbox.operate.OutboxNode;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxOutcome;
import dev.cdioutbox.operate.OutboxPage;
import dev.cdioutbox.operate.OutboxPageRequest;

/**
 * Implements the operations on messages and destinations, also in batches. A change and its audit entry are one
 * transaction; the log line follows the commit. Copies a message that is replayed as new.
 */
@ApplicationScoped
public class TransactionalOperations implements OutboxOperations {
    private static final Logger LOG = Logger.getLogger(TransactionalOperations.class.getName());
    private static final String UNAUTHENTICATED = "unauthenticated";

    /** In messages whose payloads are in memory while they are copied: 50 MiB with the default limit of a payload. */
    private static final int MAX_COPIES_HELD = 50;

    OutboxInstance opened;
    CaptureStore capture;
    BacklogReader status;
    NodeStore nodes;
    MessageFinder finder;
    OperatorStore operations;
    BackfillTable backfills;
    CurrentConfig config;
    Outboxes outboxes;

    @Inject
    Instance<Principal> caller;

    @Inject
    Instance<ActingRole> acting;

    @Inject
    Instance<NamedOutboxOperations> others;

    @Inject
    Gauges gauges;

    @Inject
    PausedConsumers paused;

    @Inject
    ConsumerListeners listeners;

    private final Map<String, TransactionalOperations> named = new ConcurrentHashMap<>();

    @Inject
    void onDefault(Outboxes all) {
        outboxes = all;
        on(all.standard());
    }

    TransactionalOperations on(OutboxInstance outbox) {
        opened = outbox;
        JdbcOutboxStore store = outbox.store();
        capture = store.capture();
        status = store.status();
        nodes = store.nodes();
        finder = store.finder();
        operations = store.operations();
        backfills = store.backfills();
        config = outbox.config();
        return this;
    }

    @Override
    public TransactionalOperations outbox(String name) {
        OutboxInstance outbox = outboxes.get(required("name", name));
        if (outbox == null) {
            throw OutboxCode.NO_SUCH_OUTBOX.exception(name, outboxes.names());
        }
        return outbox.isDefault()
                ? this
                : named.computeIfAbsent(name, first -> others.get().on(outbox));
    }

    @Override
    public List<OutboxMessage> find(OutboxFilter filter, OutboxPageRequest request) {
        return finder.find(required("filter", filter), required("request", request));
    }

    @Override
    public OutboxPage page(OutboxFilter filter, OutboxPageRequest request) {
        return finder.page(required("filter", filter), required("request", request));
    }

    @Override
    public Optional<OutboxMessage> get(UUID id) {
        return finder.find(required("id", id).toString());
    }

    @Override
    public List<OutboxAuditEntry> history(UUID id) {
        return operations.audit().lastOfMessage(required("id", id).toString(), AuditTable.MAX_HISTORY);
    }

    @Override
    public OutboxBacklog status() {
        Backlog backlog = status.backlog();
        OutboxConfig now = config.current();
        return gauges.node(now.outbox()) == null
                ? backlog
                : backlog.withInDoubt(now.destinations().keySet().stream()
                        .map(now::destinationId)
                        .mapToInt(id -> gauges.destination(id).inDoubt())
                        .sum());
    }

    @Override
    public Map<String, Long> shadowed() {
        Map<String, Long> highest = new TreeMap<>();
        for (String destination : destinations()) {
            Long sequence = status.highestShadowed(destination);
            if (sequence != null) {
                highest.put(destination, sequence);
            }
        }
        return highest;
    }

    @Override
    public List<OutboxNode> nodes() {
        return nodes.all();
    }

    @Override
    @Transactional(Transactional.TxType.NOT_SUPPORTED)
    public List<OutboxFinding> diagnose() {
        return new Doctor(opened, outboxes, gauges, paused).findings();
    }

    /** The production checklist, answered by what {@link #diagnose} has found. */
    @Transactional(Transactional.TxType.NOT_SUPPORTED)
    public List<ChecklistAnswer> checklist(List<OutboxFinding> findings) {
        return new Doctor(opened, outboxes, gauges, paused).checklist(findings);
    }

    @Override
    @Transactional
    public OutboxChange retry(OutboxFilter filter, OutboxPageRequest request) {
        return executeBatch(MessageOperation.RETRY, filter, request, null);
    }

    @Override
    @Transactional
    public OutboxOutcome retry(UUID id) {
        return outcome(MessageOperation.RETRY, id);
    }

    @Override
    @Transactional
    public OutboxChange discard(OutboxFilter filter, OutboxPageRequest request) {
        return executeBatch(MessageOperation.DISCARD, filter, request, null);
    }

    @Override
    @Transactional
    public OutboxOutcome discard(UUID id) {
        return outcome(MessageOperation.DISCARD, id);
    }

    @Override
    @Transactional
    public OutboxChange replay(OutboxFilter filter, OutboxPageRequest request) {
        return executeBatch(MessageOperation.REPLAY, filter, request, null);
    }

    @Override
    @Transactional
    public OutboxOutcome replay(UUID id) {
        return outcome(MessageOperation.REPLAY, id);
    }

    @Override
    @Transactional
    public OutboxChange replayAsNew(OutboxFilter filter, OutboxPageRequest request) {
        return executeBatch(MessageOperation.REPLAY_AS_NEW, filter, request, null);
    }

    @Override
    @Transactional
    public OutboxOutcome replayAsNew(UUID id) {
        return outcome(MessageOperation.REPLAY_AS_NEW, id);
    }

    @Override
    @Transactional
    public OutboxErasure erase(OutboxFilter filter, OutboxPageRequest request) {
        String wrong = ErasureFilter.problem(required("filter", filter));
        if (wrong != null) {
            throw new IllegalArgumentException(wrong);
        }
        List<Long> found = finder.candidates(MessageOperation.ERASE, filter, required("request", request));
        OutboxPageRequest next = next(found, request);
        Erased erased = operations.erase(found);
        int archived = next == null && archives() ? operations.eraseArchived(filter) : 0;
        List<Long> changed = erased.sequences();
        audit(
                MessageOperation.ERASE.action(),
                AuditSubject.of(ErasureFilter.hidden(filter), request),
                changed.size() + archived,
                changed);
        forget(erased.ids());
        return new Erasure(changed.size(), next, erased.published(), found.size() - changed.size(), archived);
    }

    private boolean archives() {
        return config.current().retention().archives();
    }

    @Override
    @Transactional
    public OutboxOutcome erase(UUID id) {
        return eraseOne(required("id", id).toString());
    }

    private OutboxOutcome eraseOne(String id) {
        Long sequence = operations.sequence(id);
        List<Long> found = sequence == null ? List.of() : List.of(sequence);
        List<Long> changed = operations.erase(found).sequences();
        int archived = sequence == null && archives() ? operations.eraseArchived(id) : 0;
        if (sequence == null && archived == 0) {
            return OutboxOutcome.NOT_FOUND;
        }
        audit(MessageOperation.ERASE.action(), AuditSubject.of(id), changed.size() + archived, changed);
        forget(changed.size() + archived > 0 ? List.of(id) : List.of());
        return changed.size() + archived > 0 ? OutboxOutcome.DONE : OutboxOutcome.REFUSED;
    }

    /** An error text in memory may quote what was erased. */
    private void forget(List<String> ids) {
        if (!ids.isEmpty()) {
            afterCommit(() -> listeners.tell(listener -> listener.erased(ids)));
        }
    }

    /**
     * Executes one batch of an operation that is too large for one transaction. Each batch has its own audit entry.
     *
     * @param name the operation's name: 32 hexadecimal digits, the first twelve the time in milliseconds. With a name,
     *     a repeated batch copies no message twice. Null for an operation that is never repeated
     * @throws dev.cdioutbox.OutboxException OBX-0302 if a concurrent call has copied the same messages under this name;
     *     a second call in a new transaction finds these copies
     */
    @Transactional
    public OutboxChange executeBatch(
            MessageOperation operation, OutboxFilter filter, OutboxPageRequest request, String name) {
        if (operation == MessageOperation.ERASE) {
            return erase(filter, request);
        }
        String subject = AuditSubject.of(required("filter", filter), required("request", request));
        return execute(operation, filter, request, subject, name);
    }

    @Override
    public Set<String> destinations() {
        return Collections.unmodifiableSet(
                new TreeSet<>(config.current().destinations().keySet()));
    }

    @Override
    public String application() {
        return config.current().store().application();
    }

    /**
     * Executes an operation on one message, even if its row is unreadable.
     *
     * @param name as for {@link #executeBatch}
     */
    @Transactional
    public OutboxOutcome executeOne(MessageOperation operation, String id, String name) {
        if (operation == MessageOperation.ERASE) {
            return eraseOne(id);
        }
        Long sequence = operations.sequence(id);
        if (sequence == null) {
            return OutboxOutcome.NOT_FOUND;
        }
        OutboxPageRequest one = OutboxPageRequest.ofSequence(sequence);
        OutboxChange change = execute(operation, OutboxFilter.all(), one, AuditSubject.of(id), name);
        return change.changed() > 0 ? OutboxOutcome.DONE : OutboxOutcome.REFUSED;
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

    @Override
    @Transactional
    public void backfill(String destination, String source, Set<String> eventTypes, Instant from) {
        Set<String> known = config.current().destinations().keySet();
        for (String name : List.of(required("destination", destination), required("source", source))) {
            if (!known.contains(name)) {
                throw OutboxCode.BACKFILL_UNKNOWN.exception(name, new TreeSet<>(known));
            }
        }
        if (destination.equals(source)) {
            throw new IllegalArgumentException("source is the destination itself; a replay sends its messages again");
        }
        if (config.current().destinations().get(destination).isCdc()) {
            throw OutboxCode.CDC_OPERATION.exception(destination, "backfill");
        }
        String types = stored(required("eventTypes", eventTypes));
        // Refuses a time that the database cannot store.
        OutboxFilter.all().withCreated(required("from", from), null);
        if (!backfills.start(destination, source, types, from)) {
            throw OutboxCode.BACKFILL_RUNS.exception(destination);
        }
        audit("backfill", AuditSubject.ofBackfill(destination, source, eventTypes, from), 0, List.of());
    }

    private static String stored(Set<String> types) {
        String stored = String.join(BackfillTable.SEPARATOR, types);
        boolean areNames = types.stream()
                .allMatch(type -> type != null && !type.isBlank() && !type.contains(BackfillTable.SEPARATOR));
        if (!areNames
                || stored.isEmpty()
                || stored.length() > BackfillTable.MAX_TYPES_LENGTH
                || StorableText.problem(stored) != null) {
            throw new IllegalArgumentException("eventTypes must be names of types, with 1 to %s characters together"
                    .formatted(BackfillTable.MAX_TYPES_LENGTH));
        }
        return stored;
    }

    @Override
    public List<OutboxBackfill> backfills() {
        return backfills.all();
    }

    @Override
    @Transactional
    public boolean cancelBackfill(String destination) {
        boolean changed = backfills.cancel(storable(destination));
        Set<String> known = config.current().destinations().keySet();
        // A destination that was removed may still have a backfill.
        if (!changed && !known.contains(destination)) {
            throw OutboxCode.BACKFILL_UNKNOWN.exception(destination, new TreeSet<>(known));
        }
        audit("cancel-backfill", destination, 0, List.of());
        return changed;
    }

    private boolean setPaused(String destination, boolean paused) {
        Boolean changed = operations.pause(storable(destination), paused, who());
        if (changed == null) {
            throw OutboxCode.UNKNOWN_PAUSE.exception(destination);
        }
        String action = paused ? "pause" : "resume";
        audit(action, destination, changed ? 1 : 0, List.of());
        return changed;
    }

    private static String storable(String destination) {
        String wrong = StorableText.problem(required("destination", destination));
        if (wrong != null) {
            throw new IllegalArgumentException("destination " + wrong);
        }
        return destination;
    }

    private OutboxOutcome outcome(MessageOperation operation, UUID id) {
        return executeOne(operation, required("id", id).toString(), null);
    }

    private static <T> T required(String name, T argument) {
        if (argument == null) {
            throw new IllegalArgumentException(name + " is null");
        }
        return argument;
    }

    /** Finds messages and changes exactly these: a second query by the filter could match other messages. */
    private Change execute(
            MessageOperation operation, OutboxFilter filter, OutboxPageRequest request, String subject, String name) {
        List<Long> found = finder.candidates(operation, filter, request);
        // Before the change: the copies must be above the upper end.
        OutboxPageRequest next = next(found, request);
        List<Long> changed =
                operation == MessageOperation.REPLAY_AS_NEW ? copy(found, name) : operations.change(operation, found);
        audit(operation.action(), subject, changed.size(), changed);
        return new Change(changed.size(), next);
    }

    /** Null if there is none. */
    private OutboxPageRequest next(List<Long> found, OutboxPageRequest request) {
        return found.size() < request.limit()
                ? null
                : finder.upToNewest(request).withAfter(found.get(found.size() - 1));
    }

    /** Copies messages in parts that fit into memory. */
    private List<Long> copy(List<Long> originals, String name) {
        List<Long> copied = new ArrayList<>();
        for (int from = 0; from < originals.size(); from += MAX_COPIES_HELD) {
            int to = Math.min(from + MAX_COPIES_HELD, originals.size());
            List<OutboxMessage> read = finder.find(originals.subList(from, to)).stream()
                    .filter(message -> !message.body().payload().isErased() && !isCopied(message, name))
                    .toList();
            if (!read.isEmpty()) {
                List<NewMessage> copies =
                        read.stream().map(original -> copy(original, name)).toList();
                capture.require(copies);
                capture.write(copies);
            }
            read.forEach(message -> copied.add(message.sequence()));
        }
        return copied;
    }

    /** Whether the client repeats a batch that has copied this message before. */
    private boolean isCopied(OutboxMessage original, String name) {
        return name != null && operations.sequence(copyId(name, original.id()).toString()) != null;
    }

    private static NewMessage copy(OutboxMessage original, String name) {
        return NewMessage.copyOf(
                original,
                copyId(name, original.id()),
                original.delivery().destination(),
                original.context().headers());
    }

    /**
     * Creates the id of a copy. In a named operation, the id derives from the name and the original's id, so that a
     * repeated batch finds its copies. All are UUIDs of version 7; a name begins with the time.
     */
    static UUID copyId(String name, UUID original) {
        if (name == null) {
            return UuidV7.next(System.currentTimeMillis());
        }
        // Not UUID.nameUUIDFromBytes, which needs MD5: a JVM in FIPS mode has none.
        ByteBuffer hash = ByteBuffer.wrap(UuidV7.sha256(name + " " + original));
        return UuidV7.of(Long.parseUnsignedLong(name.substring(0, 12), 16), hash.getLong(), hash.getLong());
    }

    /**
     * Writes an entry in the current transaction, and a line to the log after it.
     *
     * @param messages the changed messages, or the originals of copies; empty for a pause or resume
     */
    public void audit(String action, String subject, int changed, List<Long> messages) {
        String who = who();
        operations.audit().insert(who, role(), action, subject, changed, messages);
        afterCommit(() -> {
            operations.changeCommitted();
            LOG.info(OutboxCode.OPERATION_DONE.text(action, who, changed, subject));
        });
    }

    private void afterCommit(Runnable what) {
        transactions().registerInterposedSynchronization(new AfterCommit(what));
    }

    TransactionSynchronizationRegistry transactions() {
        return outboxes.transactions();
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

    /** The role by which the console lets the caller act; null for a call from code. */
    private String role() {
        if (!acting.isResolvable()) {
            return null;
        }
        try {
            return acting.get().name();
        } catch (ContextNotActiveException outsideOfRequests) {
            return null;
        }
    }

    record Change(int changed, OutboxPageRequest next) implements OutboxChange {}

    record Erasure(int changed, OutboxPageRequest next, int published, int skipped, int archived)
            implements OutboxErasure {}
}

package dev.cdioutbox.internal.operate;

import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
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
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.OutboxOperations;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.internal.capture.AfterCommit;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.observe.log.MessageLog;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.MessageReference;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.admin.MessageOperation;
import dev.cdioutbox.internal.store.admin.OperatorStore;
import dev.cdioutbox.internal.store.audit.AuditTable.AuditedOperation;

/** Implements the operations. A change and its audit entry are one transaction. */
@ApplicationScoped
public class TransactionalOperations implements OutboxOperations {
    private static final Logger LOG = Logger.getLogger(TransactionalOperations.class.getName());
    private static final String UNAUTHENTICATED = "unauthenticated";
    private static final int MAX_HISTORY = 500;

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
    MessageLog log;

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
     * filter, up to its limit. All batches of an operation have one audit entry.
     *
     * @param filter the same for all batches, except {@code afterSequence}, which is the end of the previous batch
     * @param name the operation's name: 32 hexadecimal digits, the first twelve the time in milliseconds. With a name,
     *     a repeated call changes nothing. Null for an operation of one batch that is never repeated
     * @return the progress of the operation
     * @throws dev.cdioutbox.OutboxException if a concurrent call executes the same batch; a repeated call returns its
     *     result
     */
    @Transactional
    public OperationBatch executeBatch(MessageOperation operation, OutboxFilter filter, String name) {
        // Finds entries of the same user only: a user must not extend the audit entries of others.
        AuditedOperation begun =
                name == null ? null : operations.audit().find(who(), operation.action(), AuditSubject.part(name));
        if (begun == null) {
            OperationExecutor.Done done = executor().execute(operation, filter, name);
            Long reached = name == null ? null : done.last();
            return audit(operation, AuditSubject.of(filter, name, reached), done);
        }
        Long last = AuditSubject.last(begun.subject());
        if (last == null || !last.equals(filter.afterSequence())) {
            // A repeated call: this batch was executed before.
            return new OperationBatch(begun.changed(), last);
        }
        OperationExecutor.Done done = executor().execute(operation, filter, name);
        String subject = AuditSubject.extended(begun.subject(), done.last());
        operations.audit().extend(begun, subject, done.messages().size(), sequences(done));
        reportAfterCommit(operation, subject, done);
        return new OperationBatch(begun.changed() + done.messages().size(), done.last());
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
        reportAfterCommit(action, destination, changed ? 1 : 0, who -> {});
        return changed;
    }

    private int changed(MessageOperation operation, OutboxFilter filter, String subject) {
        return audit(operation, subject, executor().execute(operation, filter, null))
                .changed();
    }

    private boolean changed(MessageOperation operation, UUID id) {
        Long sequence = operations.sequence(id.toString());
        return sequence != null
                && changed(operation, OutboxFilter.all().withSequence(sequence), AuditSubject.of(id)) > 0;
    }

    private OperationExecutor executor() {
        return new OperationExecutor(operations, store);
    }

    private OperationBatch audit(MessageOperation operation, String subject, OperationExecutor.Done done) {
        int changed = done.messages().size();
        operations.audit().insert(who(), operation.action(), subject, changed, sequences(done));
        reportAfterCommit(operation, subject, done);
        return new OperationBatch(changed, done.last());
    }

    private static List<Long> sequences(OperationExecutor.Done done) {
        return done.messages().stream().map(MessageReference::sequence).toList();
    }

    private void reportAfterCommit(MessageOperation operation, String subject, OperationExecutor.Done done) {
        List<MessageReference> messages = done.messages();
        reportAfterCommit(
                operation.action(), subject, messages.size(), who -> log.changed(operation.became(), who, messages));
    }

    private void reportAfterCommit(String action, String subject, int changed, Consumer<String> each) {
        String who = who();
        transactions().registerInterposedSynchronization(new AfterCommit(() -> {
            each.accept(who);
            LOG.info(Problem.OPERATION_DONE.text(action, who, changed, subject));
        }));
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
     * The progress of an operation. Public, as JSON-B needs it.
     *
     * @param changed the number of messages that all batches have changed
     * @param after the start of the next batch: the highest sequence that the operation has processed, changed or not;
     *     null if no more follow
     */
    public record OperationBatch(int changed, Long after) {}
}

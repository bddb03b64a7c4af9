package dev.cdioutbox.internal.operate;

import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import dev.cdioutbox.OutboxAct;
import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.OutboxOperations;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.config.ConfigSource;
import dev.cdioutbox.internal.observe.OperationListener;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.MessageReference;
import dev.cdioutbox.internal.store.Operations;
import dev.cdioutbox.internal.store.Operations.Change;
import dev.cdioutbox.internal.store.OutboxStore;

/** The operations, on the store. What is changed and what the audit says of it are one transaction. */
@ApplicationScoped
class StoredOperations implements OutboxOperations {
    private static final Logger LOG = Logger.getLogger(StoredOperations.class.getName());
    private static final String NOBODY = "unauthenticated";
    private static final int HISTORY = 500;

    @Inject
    OutboxStore store;

    @Inject
    Operations operations;

    @Inject
    ConfigSource config;

    @Inject
    Instance<Principal> caller;

    @Inject
    Outboxes outboxes;

    @Inject
    Instance<NamedOperations> others;

    @Inject
    @Any
    Instance<OperationListener> listeners;

    private final Map<String, OutboxOperations> named = new ConcurrentHashMap<>();

    @Override
    public OutboxOperations outbox(String name) {
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
    public List<OutboxAct> history(UUID id) {
        return operations.history(id.toString(), HISTORY);
    }

    @Override
    public OutboxBacklog status() {
        return store.backlog();
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
        return changed("retry", "retried", filter, operations.change(Change.RETRY, filter));
    }

    @Override
    @Transactional
    public int discard(OutboxFilter filter) {
        return changed("discard", "discarded", filter, operations.change(Change.DISCARD, filter));
    }

    @Override
    @Transactional
    public int replay(OutboxFilter filter) {
        return changed("replay", "replayed", filter, operations.change(Change.REPLAY, filter));
    }

    @Override
    @Transactional
    public int replayAsNew(OutboxFilter filter) {
        List<OutboxMessage> originals = originals(filter);
        if (!originals.isEmpty()) {
            store.write(Copies.of(originals));
        }
        return changed(
                "replay-as-new",
                "replayed_as_new",
                filter,
                originals.stream().map(StoredOperations::reference).toList());
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

    private static MessageReference reference(OutboxMessage message) {
        return new MessageReference(
                message.sequence(),
                message.id().toString(),
                message.event().type(),
                message.delivery().destination(),
                message.context().correlationId(),
                message.delivery().attempts());
    }

    /** The oldest that the filter lets through, the newest of them first. */
    private List<OutboxMessage> originals(OutboxFilter filter) {
        List<Long> oldest = operations.candidates(Change.REPLAY, filter);
        if (oldest.isEmpty()) {
            return List.of();
        }
        OutboxFilter these = filter.withAfterSequence(oldest.get(0) - 1)
                .withBeforeSequence(oldest.get(oldest.size() - 1) + 1)
                .withStatus(states(filter));
        return store.find(these, null).stream()
                .filter(message -> !isErased(message.body()))
                .toList();
    }

    private static OutboxStatus[] states(OutboxFilter filter) {
        return Change.REPLAY.from().stream()
                .filter(state ->
                        filter.statuses().isEmpty() || filter.statuses().contains(state))
                .toArray(OutboxStatus[]::new);
    }

    private static boolean isErased(OutboxMessage.Body body) {
        return body.bytes() > 0 && body.text().isEmpty();
    }

    private boolean setPaused(String destination, boolean paused) {
        Boolean changed = operations.pause(destination, paused, who());
        if (changed == null) {
            throw Problem.UNKNOWN_PAUSE.exception(destination);
        }
        return told(paused ? "pause" : "resume", destination, changed ? 1 : 0, List.of()) > 0;
    }

    private int changed(String action, String became, OutboxFilter filter, List<MessageReference> messages) {
        listeners.forEach(listener -> listener.changed(became, who(), messages));
        List<Long> sequences = messages.stream().map(MessageReference::sequence).toList();
        return told(action, Subject.of(filter), messages.size(), sequences);
    }

    private int told(String action, String subject, int changed, List<Long> sequences) {
        String who = who();
        operations.audit(who, action, subject, changed, sequences);
        LOG.info(Problem.OPERATED.text(action, who, changed, subject));
        return changed;
    }

    /** The caller as the container knows it; where it knows none, that is what the audit says. */
    private String who() {
        if (!caller.isResolvable()) {
            return NOBODY;
        }
        Principal principal = caller.get();
        try {
            return principal == null || principal.getName() == null ? NOBODY : principal.getName();
        } catch (RuntimeException unknown) {
            return NOBODY;
        }
    }
}

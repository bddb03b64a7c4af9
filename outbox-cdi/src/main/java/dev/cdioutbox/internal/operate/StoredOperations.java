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
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;

import dev.cdioutbox.OutboxAct;
import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.config.ConfigSource;
import dev.cdioutbox.internal.observe.OperationListener;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.MessageReference;
import dev.cdioutbox.internal.store.Operations;
import dev.cdioutbox.internal.store.OutboxStore;

/** The operations, on the store. What is changed and what the audit says of it are one transaction. */
@ApplicationScoped
class StoredOperations implements PortionedOperations {
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

    private final Map<String, PortionedOperations> named = new ConcurrentHashMap<>();

    @Override
    public PortionedOperations outbox(String name) {
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
        return changed(Act.RETRY, filter, Subject.of(filter));
    }

    @Override
    @Transactional
    public boolean retry(UUID id) {
        return changed(Act.RETRY, id);
    }

    @Override
    @Transactional
    public int discard(OutboxFilter filter) {
        return changed(Act.DISCARD, filter, Subject.of(filter));
    }

    @Override
    @Transactional
    public boolean discard(UUID id) {
        return changed(Act.DISCARD, id);
    }

    @Override
    @Transactional
    public int replay(OutboxFilter filter) {
        return changed(Act.REPLAY, filter, Subject.of(filter));
    }

    @Override
    @Transactional
    public boolean replay(UUID id) {
        return changed(Act.REPLAY, id);
    }

    @Override
    @Transactional
    public int replayAsNew(OutboxFilter filter) {
        return changed(Act.REPLAY_AS_NEW, filter, Subject.of(filter));
    }

    @Override
    @Transactional
    public boolean replayAsNew(UUID id) {
        return changed(Act.REPLAY_AS_NEW, id);
    }

    @Override
    @Transactional
    public Portion portion(Act act, OutboxFilter filter, String name) {
        Optional<Portion> before =
                name == null ? Optional.empty() : PortionNote.find(operations.audited(PortionNote.RECENT), name);
        return before.orElseGet(() -> {
            Acting.Done done = acting().act(act, filter, true, CopyIds.forPortion(name));
            return told(act, name == null ? Subject.of(filter) : PortionNote.of(filter, name, done.last()), done);
        });
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
        told(paused ? "pause" : "resume", destination, changed ? 1 : 0, List.of(), who -> {});
        return changed;
    }

    private int changed(Act act, OutboxFilter filter, String subject) {
        return told(act, subject, acting().act(act, filter, false, CopyIds.forPortion(null)))
                .changed();
    }

    private boolean changed(Act act, UUID id) {
        Long sequence = operations.sequence(id.toString());
        return sequence != null && changed(act, OutboxFilter.all().withSequence(sequence), Subject.of(id)) > 0;
    }

    private Acting acting() {
        return new Acting(operations, store);
    }

    private Portion told(Act act, String subject, Acting.Done done) {
        List<MessageReference> messages = done.messages();
        List<Long> sequences = messages.stream().map(MessageReference::sequence).toList();
        List<OperationListener> hearing = listeners.stream().toList();
        told(
                act.action(),
                subject,
                messages.size(),
                sequences,
                who -> hearing.forEach(listener -> listener.changed(act.became(), who, messages)));
        return new Portion(messages.size(), done.last());
    }

    /** In the audit with the change; to the log when that is committed. */
    private void told(String action, String subject, int changed, List<Long> sequences, Consumer<String> each) {
        String who = who();
        operations.audit(who, action, subject, changed, sequences);
        AfterCommit.run(transactions(), () -> {
            each.accept(who);
            LOG.info(Problem.OPERATED.text(action, who, changed, subject));
        });
    }

    TransactionSynchronizationRegistry transactions() {
        return outboxes.standard().capture().transactions();
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

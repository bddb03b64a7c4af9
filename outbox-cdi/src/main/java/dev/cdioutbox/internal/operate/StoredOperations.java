package dev.cdioutbox.internal.operate;

import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.OutboxOperations;
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

    @Inject
    OutboxStore store;

    @Inject
    Operations operations;

    @Inject
    Instance<Principal> caller;

    @Inject
    @Any
    Instance<OperationListener> listeners;

    @Override
    public List<OutboxMessage> find(OutboxFilter filter) {
        return store.find(filter, null);
    }

    @Override
    public Optional<OutboxMessage> get(UUID id) {
        return store.find(OutboxFilter.all().withLimit(1), id.toString()).stream()
                .findFirst();
    }

    @Override
    public OutboxBacklog status() {
        return store.backlog();
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
        List<OutboxMessage> originals = store.find(filter, null).stream()
                .filter(message ->
                        Change.REPLAY.from().contains(message.delivery().status()))
                .filter(message -> !isErased(message.body()))
                .toList();
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

    private static boolean isErased(OutboxMessage.Body body) {
        return body.bytes() > 0 && body.text().isEmpty();
    }

    private boolean setPaused(String destination, boolean paused) {
        Boolean changed = operations.pause(destination, paused, who());
        if (changed == null) {
            throw Problem.UNKNOWN_PAUSE.exception(destination);
        }
        return told(paused ? "pause" : "resume", destination, changed ? 1 : 0) > 0;
    }

    private int changed(String action, String became, OutboxFilter filter, List<MessageReference> messages) {
        listeners.forEach(listener -> listener.changed(became, who(), messages));
        return told(action, filter.toString(), messages.size());
    }

    private int told(String action, String subject, int changed) {
        String who = who();
        operations.audit(who, action, subject, changed);
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

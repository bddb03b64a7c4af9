package dev.cdioutbox.internal.operate;

import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxOperations;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.problem.Problem;
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
    @Transactional
    public int retry(OutboxFilter filter) {
        return told("retry", Subject.of(filter), operations.change(Change.RETRY, filter));
    }

    @Override
    @Transactional
    public int discard(OutboxFilter filter) {
        return told("discard", Subject.of(filter), operations.change(Change.DISCARD, filter));
    }

    @Override
    @Transactional
    public int replay(OutboxFilter filter) {
        return told("replay", Subject.of(filter), operations.change(Change.REPLAY, filter));
    }

    @Override
    @Transactional
    public int replayAsNew(OutboxFilter filter) {
        List<OutboxMessage> originals = originals(filter);
        if (!originals.isEmpty()) {
            store.write(Copies.of(originals));
        }
        return told("replay-as-new", Subject.of(filter), originals.size());
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
        return told(paused ? "pause" : "resume", destination, changed ? 1 : 0) > 0;
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

package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Evidence;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Limit;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Step;
import dev.cdioutbox.internal.dispatch.delivery.HeldMessages.Skip;
import dev.cdioutbox.internal.dispatch.hold.DeliveryContext;
import dev.cdioutbox.internal.dispatch.hold.Hold;
import dev.cdioutbox.internal.store.claim.UnreadableRow;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Delivers one batch in as many transactions as its failures need, as {@link FailurePolicy} decides after each of them.
 */
public final class BatchDelivery {
    private static final Logger LOG = Logger.getLogger(BatchDelivery.class.getName());

    /** Enough for a transaction, and for a second one without the messages that fail in the first. */
    private static final Duration LATE_AFTER = SendLoop.MAX_SEND_TIME.multipliedBy(2);

    private final DeliveryContext context;
    private final Services services;
    private final Hold hold;
    private final List<OutboxMessage> batch;
    private final List<UnreadableRow> unreadable;
    private final BatchOutcome outcome;
    private boolean isSplit;
    private long sendNanos;

    public BatchDelivery(DeliveryContext context, Hold hold) {
        this(context, hold, context.claim().messages(), context.claim().unreadable());
    }

    /** @param batch the messages; each key in order and without a gap */
    private BatchDelivery(
            DeliveryContext context, Hold hold, List<OutboxMessage> batch, List<UnreadableRow> unreadable) {
        this.context = context;
        this.services = context.services();
        this.hold = hold;
        this.batch = batch;
        this.unreadable = unreadable;
        outcome = new BatchOutcome(batch);
    }

    /**
     * Delivers the batch. Call it once.
     *
     * @return the first message that another batch can send at once; null if there is none
     * @throws Exception if the destination or the database is to blame; earlier commits of this batch remain
     */
    public OutboxMessage deliver() throws Exception {
        try {
            deliver(batch, Skip.NONE);
            HeldMessages held = new HeldMessages(outcome, new ChargeTransaction(context, hold));
            for (Skip skip = held.next(batch); skip != null && !services.isStopping(); skip = held.next(batch)) {
                deliver(List.of(skip.follower()), skip);
            }
        } catch (Exception e) {
            try {
                chargeBlamed();
            } catch (Exception another) {
                e.addSuppressed(another);
            }
            throw e;
        }
        chargeBlamed();
        return sendable().stream().findFirst().orElse(null);
    }

    private void deliver(List<OutboxMessage> some, Skip skip) throws Exception {
        Limit limit = Limit.of(some.size());
        while (!mustEnd()) {
            outcome.settledByMarker(hold.takeOverAfterFailure());
            List<OutboxMessage> rest = outcome.sendable(some);
            if (rest.isEmpty()) {
                return;
            }
            limit = attempt(rest.subList(0, Math.min(limit.messages(), rest.size())), skip, limit);
        }
    }

    /**
     * Never ends before something has become of a message: the next claim would read the same batch, and run out of time
     * again.
     */
    private boolean mustEnd() {
        return outcome.hasBegun() && (isLate() || services.isStopping());
    }

    private boolean isLate() {
        return sendNanos > LATE_AFTER.toNanos();
    }

    /** @return the limit of the next attempt */
    private Limit attempt(List<OutboxMessage> messages, Skip skip, Limit limit) throws Exception {
        Attempt attempt = new SendTransaction(context, hold, skip.held()).deliver(messages);
        sendNanos += attempt.nanos();
        outcome.add(attempt);
        outcome.addSkipped(skip.held(), attempt);
        Evidence evidence = new Evidence(attempt.end(), attempt.sent().size(), attempt.suspect() != null, isLate());
        Step step = FailurePolicy.after(evidence, limit);
        if (step.probes()) {
            probe(attempt.failure());
        }
        if (step.charges()) {
            blameUnlessSent(suspect(attempt));
        }
        if (step.fails()) {
            throw attempt.failure();
        }
        if (step.limit().messages() < attempt.sent().size() && !isSplit) {
            isSplit = true;
            LOG.warning(OutboxCode.BATCH_SPLIT.text(
                    context.label(), attempt.sent().size(), FailureReason.of(attempt.failure())));
        }
        return step.limit();
    }

    private void probe(Exception failure) throws Exception {
        try {
            ProbeTransaction.commit(services, context.target(), hold.way());
        } catch (Exception refusal) {
            refusal.addSuppressed(failure);
            throw refusal;
        }
    }

    /** A marker may show that the transport has committed what only the transaction manager has refused. */
    private void blameUnlessSent(Failure suspect) throws Exception {
        Set<Long> sent = hold.takeOverAfterFailure();
        outcome.settledByMarker(sent);
        if (!sent.contains(suspect.message().sequence())) {
            outcome.failed(suspect);
        }
    }

    private static Failure suspect(Attempt attempt) {
        String reason = "the commit of this message alone failed, and that of a probe did not";
        return attempt.suspect() != null
                ? attempt.suspect()
                : new Failure(attempt.sent().get(0), new PublishException(Blame.UNKNOWN, reason, attempt.failure()));
    }

    /** A delivery of some messages of this batch. */
    public BatchDelivery of(List<OutboxMessage> some) {
        return new BatchDelivery(context, hold, some, List.of());
    }

    /** Blames a message without a send. */
    public void blame(OutboxMessage message, PublishException cause) {
        outcome.failed(new Failure(message, cause));
    }

    /** The messages that can still be sent: neither those that are settled, blamed or in doubt, nor their followers. */
    public List<OutboxMessage> sendable() {
        return outcome.sendable(batch);
    }

    /**
     * Charges the blamed messages, except those that wait for an earlier message of their key, and settles what cannot be
     * sent.
     */
    public void chargeBlamed() throws Exception {
        new ChargeTransaction(context, hold).settle(outcome.chargeable(), unreadable, outcome.expired());
    }

    public String destination() {
        return context.destination();
    }

    public OutboxConfig config() {
        return context.config();
    }

    public List<OutboxMessage> batch() {
        return batch;
    }

    /** Whether this node has delivered a message to the destination, of which the tables keep no record. */
    public boolean isUnrecordedProof() {
        return context.config().retention().leavesWhenPublished()
                && context.lastDelivery().get() != null;
    }

    /** Whether each message is published or expired, or was discarded by an operator. */
    public boolean isSettled() {
        return outcome.isSettled();
    }

    /** Whether the end of a commit is not known, so that the transaction manager may still lock rows. */
    public boolean isInDoubt() {
        return outcome.isInDoubt();
    }
}

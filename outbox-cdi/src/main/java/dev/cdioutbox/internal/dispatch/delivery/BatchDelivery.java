package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.End;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Evidence;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Step;
import dev.cdioutbox.internal.dispatch.delivery.SendTransaction.Outcome;
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
    private final BatchProgress progress;
    private boolean isSplit;
    private long sendNanos;

    /** A failed message with the cause. */
    record Failure(OutboxMessage message, PublishException cause) {}

    /**
     * Messages to send in one transaction.
     *
     * @param refusedCommits how often the commit of this message alone was refused; 0 for several messages
     */
    private record Group(List<OutboxMessage> messages, int refusedCommits) {}

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
        progress = new BatchProgress(batch);
    }

    /**
     * Delivers the batch. Call it once.
     *
     * @return the first message that another batch can send at once; null if there is none
     * @throws Exception if the destination or the database is to blame; earlier commits of this batch remain
     */
    public OutboxMessage deliver() throws Exception {
        try {
            List<Group> todo = new ArrayList<>(List.of(new Group(batch, 0)));
            while (!todo.isEmpty() && !mustEnd()) {
                todo.addAll(0, deliverGroup(todo.remove(0)));
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

    /**
     * Never ends before one message is settled or blamed: the next claim would read the same batch, and run out of time
     * again.
     */
    private boolean mustEnd() {
        return progress.hasBegun() && (isLate() || services.isStopping());
    }

    private boolean isLate() {
        return sendNanos > LATE_AFTER.toNanos();
    }

    /** @return the groups to deliver next */
    private List<Group> deliverGroup(Group group) throws Exception {
        progress.settledByMarker(hold.takeOverAfterFailure());
        List<OutboxMessage> messages = progress.sendable(group.messages());
        if (messages.isEmpty()) {
            return List.of();
        }
        Outcome outcome = new SendTransaction(context, hold).deliver(messages);
        SendLog log = outcome.log();
        sendNanos += log.nanos();
        progress.add(outcome);
        int refusedCommits = outcome.end() == End.COMMIT_REFUSED ? group.refusedCommits() + 1 : 0;
        Evidence evidence =
                new Evidence(outcome.end(), log.sent().size(), log.suspect() != null, isLate(), refusedCommits);
        List<Group> groups = new ArrayList<>();
        for (Step step : FailurePolicy.steps(evidence)) {
            switch (step) {
                case PROBE -> probe(outcome.failure());
                case BLAME -> blameUnlessSent(suspect(outcome));
                case AGAIN -> groups.add(new Group(log.sent(), refusedCommits));
                case REST -> groups.add(new Group(log.untried(), 0));
                case HALVES -> groups.addAll(halves(outcome));
                case GIVE_UP -> throw outcome.failure();
            }
        }
        return groups;
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
        progress.settledByMarker(sent);
        if (!sent.contains(suspect.message().sequence())) {
            progress.blame(suspect);
        }
    }

    private static Failure suspect(Outcome outcome) {
        SendLog log = outcome.log();
        String reason = "the commit of this message alone failed, and that of a probe did not";
        return log.suspect() != null
                ? log.suspect()
                : new Failure(log.sent().get(0), new PublishException(Blame.UNKNOWN, reason, outcome.failure()));
    }

    private List<Group> halves(Outcome outcome) {
        List<OutboxMessage> sent = outcome.log().sent();
        if (!isSplit) {
            isSplit = true;
            LOG.warning(OutboxCode.BATCH_SPLIT.text(context.label(), sent.size(), FailureReason.of(outcome.failure())));
        }
        int middle = sent.size() / 2;
        return List.of(new Group(sent.subList(0, middle), 0), new Group(sent.subList(middle, sent.size()), 0));
    }

    /** A delivery of some messages of this batch. */
    public BatchDelivery of(List<OutboxMessage> some) {
        return new BatchDelivery(context, hold, some, List.of());
    }

    /** Blames a message without a send. */
    public void blame(OutboxMessage message, PublishException cause) {
        progress.blame(new Failure(message, cause));
    }

    /** The messages that can still be sent: neither those that are settled, blamed or in doubt, nor their followers. */
    public List<OutboxMessage> sendable() {
        return progress.sendable(batch);
    }

    /**
     * Charges the blamed messages, except those that wait for an earlier message of their key, and settles what cannot be
     * sent.
     */
    public void chargeBlamed() throws Exception {
        new ChargeTransaction(context, hold).settle(progress.chargeable(), unreadable, progress.expired());
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

    /** Whether each message is published or expired, or was discarded by an operator. */
    public boolean isSettled() {
        return progress.isSettled();
    }

    /** Whether the end of a commit is not known, so that the transaction manager may still lock rows. */
    public boolean isInDoubt() {
        return progress.isInDoubt();
    }
}

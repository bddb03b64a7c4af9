package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
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
     * @param skipped earlier messages of the key that the same transaction gives up
     */
    private record Group(List<OutboxMessage> messages, int refusedCommits, List<Failure> skipped) {
        private Group(List<OutboxMessage> messages) {
            this(messages, 0, List.of());
        }
    }

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
            deliverAll(new Group(batch));
            if (progress.hasFailures()) {
                skipUnproven();
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

    private void deliverAll(Group first) throws Exception {
        List<Group> todo = new ArrayList<>(List.of(first));
        while (!todo.isEmpty() && !mustEnd()) {
            todo.addAll(0, deliverGroup(todo.remove(0)));
        }
    }

    /**
     * Sends the next follower of each message that has no attempt left and that nothing in this batch allows to give up. If the
     * follower is delivered, the destination works, and the same transaction gives the message up; otherwise a destination with
     * one key would stand for ever. A follower without an attempt left that is refused is passed as well.
     */
    private void skipUnproven() throws Exception {
        Set<Long> tried = new HashSet<>();
        for (OutboxMessage next = behindUnproven(tried); next != null; next = behindUnproven(tried)) {
            tried.add(next.sequence());
            deliverAll(new Group(List.of(next), 0, progress.passed(next.orderingKey())));
        }
    }

    /** The next message to send behind one that must be held; null if there is none. */
    private OutboxMessage behindUnproven(Set<Long> tried) {
        ChargeTransaction charges = new ChargeTransaction(context, hold);
        Set<String> keys = new HashSet<>();
        for (Failure failure : progress.chargeable()) {
            if (failure.message().orderingKey() != null && charges.mustHold(failure)) {
                progress.pass(failure);
                keys.add(failure.message().orderingKey());
            }
        }
        return services.isStopping() || keys.isEmpty()
                ? null
                : sendable().stream()
                        .filter(message -> keys.contains(message.orderingKey()) && !tried.contains(message.sequence()))
                        .findFirst()
                        .orElse(null);
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
        Outcome outcome = new SendTransaction(context, hold, group.skipped()).deliver(messages);
        SendLog log = outcome.log();
        sendNanos += log.nanos();
        progress.add(outcome);
        progress.skip(group.skipped(), outcome);
        int refusedCommits = outcome.end() == End.COMMIT_REFUSED ? group.refusedCommits() + 1 : 0;
        Evidence evidence =
                new Evidence(outcome.end(), log.sent().size(), log.suspect() != null, isLate(), refusedCommits);
        List<Group> groups = new ArrayList<>();
        for (Step step : FailurePolicy.steps(evidence)) {
            switch (step) {
                case PROBE -> probe(outcome.failure());
                case BLAME -> blameUnlessSent(suspect(outcome));
                case AGAIN -> groups.add(new Group(log.sent(), refusedCommits, group.skipped()));
                case REST -> groups.add(new Group(log.untried()));
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
        return List.of(new Group(sent.subList(0, middle)), new Group(sent.subList(middle, sent.size())));
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

    /** Whether this node has delivered a message to the destination, of which the tables keep no record. */
    public boolean isUnrecordedProof() {
        return context.config().retention().leavesWhenPublished()
                && context.lastDelivery().get() != null;
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

package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Evidence;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Limit;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Step;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnership;
import dev.cdioutbox.internal.store.claim.UnreadableRow;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Delivers what one attempt has not delivered of a batch, in as many attempts as its failures need. {@link FailurePolicy} decides
 * after each of them how many of the messages that are left the next one may have. The claim keeps its partitions meanwhile, so
 * that no other thread or node meets the same failures. In the end, settles what was not sent.
 *
 * <p>Package {@code crash} uses it from the first attempt on, because some messages of a batch must then fail, or be sent alone. One
 * thread uses it, and calls one of its deliveries.
 */
public final class BatchRecovery {
    private static final Logger LOG = Logger.getLogger(BatchRecovery.class.getName());

    /** Enough for a transaction, and for a second one without the messages that fail in the first. */
    static final Duration LATE_AFTER = SendLoop.MAX_SEND_TIME.multipliedBy(2);

    private final DeliveryContext context;
    private final Environment environment;
    private final DestinationOwnership ownership;
    private final List<OutboxMessage> batch;
    private final BatchOutcome outcome;
    private final UnsentTransaction unsent;
    private List<UnreadableRow> unreadable;
    private boolean isSplit;
    private boolean isProbed;
    private long sendNanos;

    public BatchRecovery(DeliveryContext context) {
        this(context, context.claim().messages());
    }

    /** @param batch the messages; each key in order and without a gap */
    BatchRecovery(DeliveryContext context, List<OutboxMessage> batch) {
        this.context = context;
        this.environment = context.environment();
        this.ownership = context.ownership();
        this.batch = batch;
        unreadable = context.claim().unreadable();
        outcome = new BatchOutcome(batch);
        unsent = new UnsentTransaction(context);
    }

    /** Delivers what an attempt to deliver the whole batch has left. */
    BatchDelivery goOnAfter(Attempt attempt) throws Exception {
        return settlingUnsent(() -> {
            deliver(batch, this::attempt, limitAfter(attempt, limit()));
            deliverBehindHeld();
        });
    }

    /**
     * Delivers the batch without the messages that have failed.
     *
     * @throws Exception if the destination or the database is to blame; earlier commits of this batch remain
     */
    public BatchDelivery deliver() throws Exception {
        return settlingUnsent(() -> {
            deliver(batch, this::attempt, limit());
            deliverBehindHeld();
        });
    }

    private Limit limit() {
        return Limit.of(context.protocol().groupOf(batch.size()));
    }

    /** Only settles what has failed, and what cannot be sent. */
    public BatchDelivery deliverNothing() throws Exception {
        return settlingUnsent(() -> {});
    }

    /** Delivers one message of the batch, within {@link #settlingUnsent}. */
    public void deliverAlone(OutboxMessage message) throws Exception {
        deliver(List.of(message), this::attempt, Limit.of(1));
    }

    /** The door to {@link HeldMessages}. */
    private void deliverBehindHeld() throws Exception {
        HeldMessages held = new HeldMessages(context, outcome, unsent);
        Optional<OutboxMessage> follower = held.nextFollower(batch);
        while (follower.isPresent() && !environment.isStopping()) {
            deliver(List.of(follower.get()), one -> held.send(one.get(0)), Limit.of(1));
            follower = held.nextFollower(batch);
        }
    }

    /** Runs a delivery of messages of the batch, and then settles what was not sent, also if the delivery fails. */
    public BatchDelivery settlingUnsent(Environment.Work delivery) throws Exception {
        try {
            delivery.run();
        } catch (Exception e) {
            try {
                settleUnsent();
            } catch (Exception another) {
                e.addSuppressed(another);
            }
            throw e;
        }
        settleUnsent();
        OutboxMessage rest = sendable().stream().findFirst().orElse(null);
        return new BatchDelivery(
                outcome.isSettled() && context.claim().unreadable().isEmpty(), rest);
    }

    /** Settles what has failed so far, and what cannot be sent. */
    public void settleUnsent() throws Exception {
        List<Failure> failures =
                outcome.chargeable().stream().filter(this::isChargedNow).toList();
        unsent.settle(failures, unreadable, outcome.expired());
        outcome.charged(failures);
        unreadable = List.of();
    }

    /** Other parts of an application that stops are gone already, and a handler fails because of that. */
    private boolean isChargedNow(Failure failure) {
        return failure.cause().blame() == Blame.MESSAGE
                || !context.protocol().callsApplication()
                || !environment.isStopping();
    }

    private void deliver(List<OutboxMessage> some, Function<List<OutboxMessage>, Attempt> attempting, Limit first)
            throws Exception {
        Limit limit = first;
        while (!mustEnd()) {
            Set<Long> settled = ownership.takeOverAfterFailure();
            if (!settled.isEmpty()) {
                outcome.settledByMarker(settled);
                // What was refused may be settled now.
                limit = limit.ofOthers();
            }
            List<OutboxMessage> rest = outcome.sendable(some);
            if (rest.isEmpty()) {
                return;
            }
            Attempt attempt = attempting.apply(rest.subList(0, Math.min(limit.messages(), rest.size())));
            limit = limitAfter(attempt, limit);
        }
    }

    /**
     * Never ends before something has become of a message: the next claim would read the same batch, and run out of time
     * again.
     */
    private boolean mustEnd() {
        return outcome.hasBegun() && (isLate() || environment.isStopping());
    }

    private boolean isLate() {
        return sendNanos > LATE_AFTER.toNanos();
    }

    private Attempt attempt(List<OutboxMessage> messages) {
        return new SendTransaction(context).deliver(messages);
    }

    /** Does what follows from an attempt, and returns the limit of the next one. */
    private Limit limitAfter(Attempt attempt, Limit limit) throws Exception {
        sendNanos += attempt.nanos();
        outcome.add(attempt);
        int sent = attempt.sent().size();
        // A handler may take its time.
        boolean late = isLate() && !context.protocol().callsApplication();
        Step step = FailurePolicy.after(new Evidence(attempt.end(), sent, attempt.suspect() != null, late), limit);
        // A second probe shows no more, until a message is to be charged.
        if (step.charges() || step.probes() && !isProbed) {
            probe(attempt.failure());
            isProbed = true;
        }
        if (step.charges()) {
            recordUnlessSent(suspect(attempt));
        }
        if (step.fails()) {
            throw attempt.failure();
        }
        if (step.limit().messages() < sent && !isSplit) {
            isSplit = true;
            LOG.warning(OutboxCode.BATCH_SPLIT.text(context.id(), sent, FailureReason.of(attempt.failure())));
        }
        return step.limit();
    }

    private void probe(Exception failure) throws Exception {
        try {
            context.destination().probe().commitAfterFailure(ownership.publisher());
        } catch (Exception refusal) {
            refusal.addSuppressed(failure);
            throw refusal;
        }
    }

    /** A marker may show that the transport has committed what only the transaction manager has refused. */
    private void recordUnlessSent(Failure suspect) throws Exception {
        Set<Long> sent = ownership.takeOverAfterFailure();
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

    /** Records a failure of a message without a send. */
    public void recordFailure(OutboxMessage message, PublishException cause) {
        outcome.failed(new Failure(message, cause));
    }

    /** The messages that can still be sent: neither those that are settled, failed or in doubt, nor their followers. */
    public List<OutboxMessage> sendable() {
        return outcome.sendable(batch);
    }

    /** What has become of the messages so far. */
    public BatchOutcome outcome() {
        return outcome;
    }

    public List<OutboxMessage> batch() {
        return batch;
    }

    public DeliveryContext context() {
        return context;
    }
}

package dev.cdioutbox.internal.dispatch.crash;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.crash.CrashPolicy.History;
import dev.cdioutbox.internal.dispatch.crash.CrashPolicy.Step;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.dispatch.delivery.BatchRecovery;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryContext;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.operate.CrashHistory;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * The recovery of one destination after a crash: delivers the batches that may contain the message that has crashed its process.
 * {@link SuspectBatch} says which messages are sent alone, and {@link CrashPolicy} what becomes of one that crashes each process.
 * Thread-safe.
 */
public final class DestinationRecovery {
    private final String destination;
    private final Environment environment;
    private final CrashHistory history;
    private final ClaimStore claims;
    private final UnfinishedSends unfinishedSends;
    private final SingleSends singleSends;
    private final RecoveryProgress progress = new RecoveryProgress();

    DestinationRecovery(
            String destination,
            Environment environment,
            CrashHistory history,
            ClaimStore claims,
            UnfinishedSends unfinishedSends,
            SingleSends singleSends) {
        this.destination = destination;
        this.environment = environment;
        this.history = history;
        this.claims = claims;
        this.unfinishedSends = unfinishedSends;
        this.singleSends = singleSends;
    }

    /**
     * Whether each batch must be delivered by this class, and not only one whose messages have unfinished sends. The value is always
     * that of now.
     */
    public AtomicBoolean concernsEachBatch() {
        return progress.concernsEachBatch();
    }

    /**
     * A process has crashed.
     *
     * @param last only messages stored until then can have been in flight
     * @param most how many of them
     */
    void begin(Instant last, int most) {
        progress.begin(last, most);
    }

    /**
     * Delivers the messages of a claim: in one batch, unless some of them have to be sent alone.
     *
     * @param counted the number of unfinished sends of each message, by sequence
     * @throws PublishException OBX-0451 if a crashing message stops the destination
     */
    public BatchDelivery deliver(BatchRecovery delivery, Map<Long, Integer> counted) throws Exception {
        SuspectBatch batch = new SuspectBatch(
                delivery.batch(),
                unfinishedSends.corrected(counted),
                CrashPolicy.mostCrashes(delivery.context().config().retry()),
                progress.suspectedUntil());
        if (!giveUpCrashing(batch, delivery).sendsOthers()) {
            return delivery.deliverNothing();
        }
        List<OutboxMessage> alone = batch.alone(delivery.sendable());
        return alone.isEmpty()
                ? delivery.deliver()
                : singleSends.deliver(delivery, alone, batch.unfinishedSends(), progress::sentOneSuspect);
    }

    private Step giveUpCrashing(SuspectBatch batch, BatchRecovery delivery) throws Exception {
        if (delivery.context().config().retry().blockOnAbandon()) {
            batch.crashing().forEach(message -> abandon(message, delivery));
            return Step.ABANDON_EACH;
        }
        Optional<OutboxMessage> first = batch.firstCrashing();
        // Asks once, then for each message that is to be given up, and as long as the destination is stopped.
        if (first.isEmpty() && progress.isKnownToGoOn()) {
            return Step.SEND;
        }
        History past = past(delivery.context());
        Step step = CrashPolicy.of(first.isEmpty() ? 0 : batch.crashing().size(), past);
        progress.answered(step.stopsDestination());
        switch (step) {
            case ABANDON, ABANDON_FIRST -> abandon(first.orElseThrow(), delivery);
            case STOP -> stopBy(first.orElseThrow(), delivery);
            case FAIL -> throw stopped(Blame.DESTINATION, past.stoppedBy().orElseThrow(), delivery);
            default -> {}
        }
        return step;
    }

    private History past(DeliveryContext context) throws Exception {
        // The tables keep no record of such a delivery.
        boolean deliversUnrecorded = context.config().retention().leavesWhenPublished()
                && context.destination().lastDelivery().get() != null;
        if (deliversUnrecorded || environment.outside(() -> history.crashedSinceDelivery(destination)) == null) {
            return History.DELIVERS;
        }
        return new History(true, Optional.ofNullable(environment.outside(() -> history.stoppedBy(destination))));
    }

    private static void abandon(OutboxMessage crashing, BatchRecovery delivery) {
        delivery.recordFailure(
                crashing, new PublishException(Blame.MESSAGE, OutboxCode.CRASHED_ITS_PROCESS.text(), null));
    }

    private static void stopBy(OutboxMessage crashing, BatchRecovery delivery) {
        delivery.recordFailure(crashing, stopped(Blame.UNKNOWN, crashing.sequence(), delivery));
    }

    private static PublishException stopped(Blame blame, long sequence, BatchRecovery delivery) {
        String text =
                OutboxCode.CRASHES_STOP_DESTINATION.text(delivery.context().id(), sequence);
        return new PublishException(blame, text, null);
    }

    /**
     * Reports a claim that found nothing. No suspects are left if no message waits at all: a claim does not see those that are
     * paused or locked, or that the crashed process has leased.
     */
    public void foundNothing() throws Exception {
        if (progress.hasSuspects()
                && !environment.outside(claims::waitingDestinations).contains(destination)) {
            progress.sentAllSuspects();
        }
    }

    /** Call this when the application stops: the container's transactions may be gone. */
    boolean hasWaitingSuspects() {
        return progress.hasSuspects() && claims.waitingDestinations().contains(destination);
    }
}

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.dispatch.CycleResult.Found;
import dev.cdioutbox.internal.dispatch.WorkerState.Cycle;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.crash.DestinationRecovery;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.dispatch.delivery.BatchRecovery;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryContext;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryException;
import dev.cdioutbox.internal.dispatch.delivery.OpenDestination;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnership;
import dev.cdioutbox.internal.store.claim.BatchReadException;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.internal.store.settle.PendingRows;

/**
 * The work of one cycle of a destination: claims the next batch, delivers it, and says where messages may still wait.
 * Several threads may perform cycles at the same time. Thread-safe.
 */
final class DeliveryCycle {
    private static final Logger LOG = Logger.getLogger(DeliveryCycle.class.getName());

    private final Environment environment;
    private final ClaimStore claims;
    private final IdleLook idleLook;
    private final DueMessages dueMessages;
    private final InDoubtMonitor inDoubt;
    private final DestinationRecovery crashRecovery;
    private final AtomicInteger livingNodes;
    private final RepeatedLine upkeepFailures = new RepeatedLine();
    private final AtomicInteger partitionsHeld = new AtomicInteger();
    private final RateLimit rateLimit = new RateLimit();

    /** Called before a batch is sent. */
    interface Sending {
        /**
         * @param last the last partition that the batch serves
         * @param hasMore whether the claim may have left messages behind
         */
        void begins(long last, boolean hasMore);
    }

    /** @param livingNodes the number of processes that dispatch these messages; 0 if it is unknown */
    DeliveryCycle(
            Environment environment,
            ClaimStore claims,
            IdleLook idleLook,
            DueMessages dueMessages,
            InDoubtMonitor inDoubt,
            DestinationRecovery crashRecovery,
            AtomicInteger livingNodes) {
        this.environment = environment;
        this.claims = claims;
        this.idleLook = idleLook;
        this.dueMessages = dueMessages;
        this.inDoubt = inDoubt;
        this.crashRecovery = crashRecovery;
        this.livingNodes = livingNodes;
    }

    private boolean isAlone() {
        return livingNodes.get() == 1;
    }

    /** How many cycles it takes to visit all partitions. */
    int rounds(OpenDestination destination) {
        return destination.claimLimits(livingNodes.get()).rounds(destination.config());
    }

    /** The number of partitions that this node has claimed now. */
    int partitionsHeld() {
        return partitionsHeld.get();
    }

    /**
     * Performs a cycle, outside of a transaction.
     *
     * @throws DeliveryException if anything has failed after the partitions were reserved
     */
    CycleResult perform(Cycle cycle, OpenDestination destination, Sending sending) throws Exception {
        dueMessages.askIfNecessary();
        if (cycle.isPollOfIdle() && isIdle(destination)) {
            destination.ownerships().get().nothingWaits();
            return CycleResult.nothing(cycle, false, isAlone());
        }
        ClaimLimits limits = destination.claimLimits(livingNodes.get()).within(cycle.range());
        return destination.config().dispatcher().hasRate()
                ? performAtRate(cycle, destination, limits, sending)
                : deliverAndRelease(cycle, claim(cycle, destination, limits), sending);
    }

    /** Whether a claim would find nothing. After a crash, one is needed even so: empty claims end the single sends. */
    private boolean isIdle(OpenDestination destination) throws Exception {
        return !destination.afterCrash().get()
                && !idleLook.finds(
                        destination.id().name(),
                        destination.config().dispatcher().interval());
    }

    private CycleResult deliverAndRelease(Cycle cycle, DeliveryContext context, Sending sending) throws Exception {
        Claim claim = context.claim();
        CycleResult result = null;
        try (claim) {
            result = claim.delayedAreDue()
                    ? moveDueAndDeliver(cycle, context, sending)
                    : deliver(cycle, context, sending);
        } catch (Exception e) {
            // With a result, only the maintenance at the close has failed.
            failUnlessDelivered(result, context, DeliveryException.ofClaim(e, claim.firstPartition()));
        } finally {
            int partitions = claim.partitions().size();
            partitionsHeld.addAndGet(-partitions);
            environment.notifyEach(l -> l.released(context.id(), partitions));
        }
        return result;
    }

    /** The door for a destination with a rate. Claims no more than it allows, and nothing if that is too little: nobody waits for it. */
    private CycleResult performAtRate(Cycle cycle, OpenDestination destination, ClaimLimits limits, Sending sending)
            throws Exception {
        int rate = destination.config().dispatcher().rate();
        int allowed = rateLimit.take(rate, limits.messages(), environment.nanoTime());
        if (allowed == 0) {
            dueMessages.holdBack(rateLimit.untilNext(rate, limits.messages()));
            environment.notifyEach(l -> l.heldBack(destination.id()));
            return CycleResult.heldBack();
        }
        return deliverAndRelease(cycle, claimAllowed(allowed, cycle, destination, limits), sending);
    }

    private DeliveryContext claimAllowed(int allowed, Cycle cycle, OpenDestination destination, ClaimLimits limits)
            throws Exception {
        int claimed = 0;
        try {
            DeliveryContext context = claim(cycle, destination, limits.of(allowed));
            claimed = context.claim().messages().size();
            return context;
        } finally {
            rateLimit.giveBack(allowed - claimed);
        }
    }

    private DeliveryContext claim(Cycle cycle, OpenDestination destination, ClaimLimits limits) throws Exception {
        long begin = environment.nanoTime();
        DestinationOwnership ownership = destination.ownerships().get();
        Claim claim = claim(ownership.reservation(), cycle.after(), limits, destination.pendingRows());
        Duration took = Duration.ofNanos(environment.nanoTime() - begin);
        int partitions = claim.partitions().size();
        partitionsHeld.addAndGet(partitions);
        environment.notifyEach(l -> l.claimed(destination.id(), partitions, took));
        return new DeliveryContext(environment, destination, ownership, claim);
    }

    private Claim claim(Reservation reservation, long after, ClaimLimits limits, PendingRows pendingRows)
            throws Exception {
        try {
            // Asks on another connection than the claim's.
            return claims.claim(
                    reservation, after, limits, rows -> environment.outside(() -> pendingRows.lockable(rows)));
        } catch (BatchReadException e) {
            // Nobody knows which row is to blame, so the next cycle leaves all of these partitions out.
            throw DeliveryException.ofClaim(e.getCause(), e.lastPartition());
        }
    }

    /** The door for delayed messages that are due. Moves them before the batch, whose send may hang. */
    private CycleResult moveDueAndDeliver(Cycle cycle, DeliveryContext context, Sending sending) throws Exception {
        boolean moved;
        try {
            moved = dueMessages.moveDue();
        } catch (Exception e) {
            return deliverThough(e, cycle, context, sending);
        }
        CycleResult result = deliver(cycle, context, sending);
        return moved ? result.afterMove() : result;
    }

    /** The other messages must be sent even so. */
    private CycleResult deliverThough(Exception unmoved, Cycle cycle, DeliveryContext context, Sending sending)
            throws Exception {
        CycleResult result;
        try {
            result = deliver(cycle, context, sending);
        } catch (Exception e) {
            e.addSuppressed(unmoved);
            throw e;
        }
        failUnlessDelivered(result, context, unmoved);
        return result;
    }

    private CycleResult deliver(Cycle cycle, DeliveryContext context, Sending sending) throws Exception {
        Claim claim = context.claim();
        if (claim.partitions().isEmpty()) {
            return lookInVain(cycle, context);
        }
        if (!claim.inDoubt().isEmpty()) {
            inDoubt.found(claim.inDoubt());
        }
        if (claim.isEmpty()) {
            Found found = claim.maintain() ? Found.MOVED : Found.WAITING;
            return new CycleResult(found, PartitionRange.ALL, claim.lastPartition());
        }
        sending.begins(claim.lastPartition(), !claim.isComplete());
        BatchDelivery delivery = send(context);
        if (!delivery.isSettled()) {
            // Retries wait now.
            dueMessages.mustAsk();
        }
        return CycleResult.delivered(
                cycle,
                // After a failed or unreadable message, its followers may be sendable now.
                delivery.isSettled() && claim.isComplete(),
                !context.ownership().reservation().hidesPartitions() && isAlone(),
                claim.foundLocked(),
                context.ownership().released(claim.partitions()),
                delivery.rest() == null ? null : claim.lastPartitionBefore(delivery.rest(), cycle.after()));
    }

    private CycleResult lookInVain(Cycle cycle, DeliveryContext context) throws Exception {
        if (context.destination().afterCrash().get()) {
            crashRecovery.foundNothing();
        }
        return CycleResult.nothing(cycle, context.claim().foundLocked(), isAlone());
    }

    private BatchDelivery send(DeliveryContext context) throws Exception {
        Map<Long, Integer> unfinishedSends = context.claim().unfinishedSends();
        boolean mayCrash =
                !unfinishedSends.isEmpty() || context.destination().afterCrash().get();
        try {
            return mayCrash
                    ? crashRecovery.deliver(new BatchRecovery(context), unfinishedSends)
                    : BatchDelivery.of(context);
        } catch (Exception e) {
            // Some messages may wait for a retry.
            dueMessages.mustAsk();
            int messages = context.claim().messages().size();
            environment.notifyEach(l -> l.failed(context.id(), messages, e));
            throw e;
        }
    }

    /**
     * Judges a failure beside the batch. A delivered batch shows that there is no outage: the failure is only logged, and the next
     * cycle tries again.
     *
     * @param result null if the batch itself has failed
     */
    private void failUnlessDelivered(CycleResult result, DeliveryContext context, Exception failure) throws Exception {
        if (result == null || result.found() != Found.DELIVERED) {
            throw failure;
        }
        int due = upkeepFailures.due(environment.nanoTime());
        if (due > 0) {
            LOG.log(
                    Level.WARNING,
                    OutboxCode.UPKEEP_FAILED.text(context.id(), FailureReason.of(failure), due),
                    FailureLog.trace(failure));
        }
    }
}

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.CycleResult.Found;
import dev.cdioutbox.internal.dispatch.WorkerState.Cycle;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.dispatch.delivery.BatchRecovery;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryContext;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryException;
import dev.cdioutbox.internal.dispatch.delivery.ExactlyOnceProbe;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnership;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnerships;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.PartitionRange;

/**
 * The work of one cycle of a destination: claims the next batch, delivers it, and says where messages may still wait.
 * Several threads may perform cycles at the same time. Thread-safe.
 */
final class DeliveryCycle {
    private static final Logger LOG = Logger.getLogger(DeliveryCycle.class.getName());

    private final String destination;
    private final String label;
    private final Services services;
    private final CrashRecovery crashRecovery;
    private final BooleanSupplier nodeIsAlone;
    private final DueTimer dueTimer;
    private final ExactlyOnceProbe probe;
    private final InDoubtMonitor inDoubt;
    private final RepeatedLine upkeepFailures = new RepeatedLine();
    private final AtomicInteger partitionsHeld = new AtomicInteger();
    private final DestinationOwnerships ownerships;
    private final AtomicReference<Instant> lastDelivery = new AtomicReference<>();

    /** Called before a batch is sent. */
    interface Sending {
        /**
         * @param last the last partition that the batch serves
         * @param hasMore whether the claim may have left messages behind
         */
        void begins(long last, boolean hasMore);
    }

    /** @param nodeIsAlone whether no other process dispatches these messages; false if unknown */
    DeliveryCycle(
            String destination,
            Services services,
            CrashRecovery crashRecovery,
            BooleanSupplier nodeIsAlone,
            DueTimer dueTimer) {
        this.destination = destination;
        this.label = services.config().label(destination);
        this.services = services;
        this.crashRecovery = crashRecovery;
        this.nodeIsAlone = nodeIsAlone;
        this.dueTimer = dueTimer;
        probe = new ExactlyOnceProbe(destination, services);
        inDoubt = new InDoubtMonitor(
                label,
                services.store().settlements(),
                services.transactions(),
                services.listeners(),
                services::nanoTime);
        ownerships = new DestinationOwnerships(destination, services);
    }

    InDoubtMonitor inDoubt() {
        return inDoubt;
    }

    /** What was delivered to one target proves nothing of another one. */
    void targetHasChanged() {
        lastDelivery.set(null);
    }

    /** The number of partitions that this node has claimed now. */
    int partitionsHeld() {
        return partitionsHeld.get();
    }

    /**
     * Performs a cycle, outside of a transaction.
     *
     * @param isFailing whether the destination may still be unavailable, so that it must be probed before a send
     * @throws DeliveryException if the probe has failed, or anything after the claim
     */
    CycleResult perform(Cycle cycle, OutboxConfig config, boolean isFailing, Sending sending) throws Exception {
        crashRecovery.prepare();
        DestinationOwnership ownership = ownerships.open(config);
        probe.check(config, ownership.publisher(), isFailing);
        // Before the claim: what becomes due after this question has a timer, and the claim finds the rest.
        dueTimer.refresh();
        long begin = services.nanoTime();
        ClaimLimits limits = ClaimLimits.of(config).within(cycle.range());
        Claim claim = services.store().claims().claim(ownership.reservation(), cycle.after(), limits, this::lockable);
        Duration took = Duration.ofNanos(services.nanoTime() - begin);
        int partitions = claim.partitions().size();
        partitionsHeld.addAndGet(partitions);
        services.notifyEach(l -> l.claimed(label, partitions, took));
        try {
            return new Claimed(claim, ownership, cycle, config, sending).deliverAndClose();
        } catch (Exception e) {
            throw DeliveryException.ofClaim(e, claim.firstPartition());
        } finally {
            partitionsHeld.addAndGet(-partitions);
            services.notifyEach(l -> l.released(label, partitions));
        }
    }

    /** Asks on another connection than the claim's. */
    private Set<Long> lockable(Collection<Long> sequences) throws Exception {
        return services.outside(() -> services.store().settlements().lockable(sequences));
    }

    /** After a delivered batch, which shows that there is no outage, only logs the failure: the next cycle tries again. */
    private void failUnlessDelivered(CycleResult result, Exception failure) throws Exception {
        if (result == null || result.found() != Found.DELIVERED) {
            throw failure;
        }
        int due = upkeepFailures.due(services.nanoTime());
        if (due > 0) {
            LOG.log(
                    Level.WARNING,
                    OutboxCode.UPKEEP_FAILED.text(label, FailureReason.of(failure), due),
                    FailureLog.trace(failure));
        }
    }

    /** What one cycle does with its claim. One thread uses it. */
    private final class Claimed {
        private final Claim claim;
        private final DestinationOwnership ownership;
        private final Cycle cycle;
        private final OutboxConfig config;
        private final Sending sending;

        Claimed(Claim claim, DestinationOwnership ownership, Cycle cycle, OutboxConfig config, Sending sending) {
            this.claim = claim;
            this.ownership = ownership;
            this.cycle = cycle;
            this.config = config;
            this.sending = sending;
        }

        CycleResult deliverAndClose() throws Exception {
            CycleResult result = null;
            try (claim) {
                result = moveDueAndDeliver();
            } catch (Exception e) {
                // With a result, only the maintenance at the close has failed.
                failUnlessDelivered(result, e);
            }
            return result;
        }

        private CycleResult moveDueAndDeliver() throws Exception {
            Exception failure = null;
            boolean moved = false;
            try {
                // Before the batch, because its send may hang.
                moved = claim.delayedAreDue()
                        && services.outside(() -> services.store().delayed().release(destination));
            } catch (Exception e) {
                failure = e;
            }
            CycleResult result = claim.partitions().isEmpty() ? lookInVain() : deliver();
            if (failure != null) {
                // Only now, because other messages must be sent even while this fails.
                failUnlessDelivered(result, failure);
            }
            return moved ? result.afterMove() : result;
        }

        private CycleResult lookInVain() throws Exception {
            if (claim.foundLocked()) {
                ownership.foundOthers();
            } else if (cycle.range().equals(PartitionRange.ALL)) {
                ownership.foundNoOthers();
            }
            crashRecovery.foundNothing(destination);
            return CycleResult.nothing(cycle, claim.foundLocked(), nodeIsAlone.getAsBoolean());
        }

        private CycleResult deliver() throws Exception {
            ownership.foundNoOthers();
            if (!claim.inDoubt().isEmpty()) {
                inDoubt.found(claim.inDoubt());
            }
            if (!claim.isEmpty()) {
                reportingFailure(this::takeOver);
            }
            if (claim.isEmpty()) {
                return new CycleResult(
                        claim.maintain() ? Found.MOVED : Found.WAITING, PartitionRange.ALL, claim.lastPartition());
            }
            sending.begins(claim.lastPartition(), !claim.isComplete());
            BatchDelivery delivery = reportingFailure(this::deliverBatch);
            if (!delivery.isSettled()) {
                // Retries wait now.
                dueTimer.mustAsk();
            }
            return CycleResult.delivered(
                    cycle,
                    // After a failed or unreadable message, its followers may be sendable now.
                    delivery.isSettled() && claim.isComplete(),
                    !ownership.reservation().hidesPartitions() && nodeIsAlone.getAsBoolean(),
                    claim.foundLocked(),
                    ownership.released(claim.partitions()),
                    delivery.rest() == null ? null : claim.lastPartitionBefore(delivery.rest(), cycle.after()));
        }

        private BatchDelivery deliverBatch() throws Exception {
            DeliveryContext context = new DeliveryContext(services, destination, config, claim, lastDelivery);
            Map<Long, Integer> unfinishedSends = claim.unfinishedSends();
            return unfinishedSends.isEmpty() && !crashRecovery.concerns(destination)
                    ? BatchDelivery.of(context, ownership)
                    : crashRecovery.deliver(new BatchRecovery(context, ownership), unfinishedSends);
        }

        /** Keeps the claim meanwhile: otherwise nodes that take turns would take over, and send nothing. */
        private boolean takeOver() throws Exception {
            boolean takenOver = ownership.takeOverIfUncertain();
            if (takenOver) {
                claim.readAgain(DeliveryCycle.this::lockable);
            }
            return takenOver;
        }

        /** Some messages may wait for a retry after a failure. */
        private <T> T reportingFailure(Callable<T> step) throws Exception {
            try {
                return step.call();
            } catch (Exception e) {
                dueTimer.mustAsk();
                services.notifyEach(l -> l.failed(label, claim.messages().size(), e));
                throw e;
            }
        }
    }
}

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.dispatch.crash.SingleMessageDelivery;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryContext;
import dev.cdioutbox.internal.dispatch.listener.ListenerNotifier;
import dev.cdioutbox.internal.dispatch.upkeep.InDoubtTracker;
import dev.cdioutbox.internal.dispatch.upkeep.LeaseRenewer;
import dev.cdioutbox.internal.dispatch.worker.DeliveryException;
import dev.cdioutbox.internal.dispatch.worker.WorkerStatus;
import dev.cdioutbox.internal.dispatch.worker.WorkerThreads;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.OutboxStore;

/** Claims the next batch of one destination, publishes and settles it. Thread-safe: each thread claims other partitions. */
final class NextBatch {
    private final WorkerStatus worker;
    private final WorkerThreads threads;
    private final OutboxStore store;
    private final Transactions transactions;
    private final LeaseRenewer leases;
    private final SingleMessageDelivery delivery;
    private final ListenerNotifier listeners;
    private final InDoubtTracker inDoubt;
    private volatile int lastPartition;

    /** The result of one claim and its batch. */
    enum Result {
        /** No free partition has messages. */
        NO_WORK,
        /** The claimed partitions have messages, but none that can be sent now. */
        ALL_WAITING,
        /** The batch is delivered. Or the claim only moved messages, so that the next claim may find sendable ones. */
        PROGRESS
    }

    NextBatch(
            WorkerStatus worker,
            WorkerThreads threads,
            OutboxStore store,
            Transactions transactions,
            LeaseRenewer leases,
            SingleMessageDelivery delivery,
            ListenerNotifier listeners,
            InDoubtTracker inDoubt) {
        this.worker = worker;
        this.threads = threads;
        this.store = store;
        this.transactions = transactions;
        this.leases = leases;
        this.delivery = delivery;
        this.listeners = listeners;
        this.inDoubt = inDoubt;
    }

    Result deliver(OutboxConfig config) throws Exception {
        long start = System.nanoTime();
        try (Claim claim = store.claim(worker.destination(), lastPartition, ClaimLimits.of(config))) {
            int partitions = claim.partitions().size();
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            listeners.notifyEach(l -> l.claimed(worker.label(), partitions, took));
            leases.keep(claim.lease(), System.nanoTime());
            try {
                return claim.partitions().isEmpty() ? Result.NO_WORK : deliver(claim, config);
            } finally {
                leases.release(claim.lease());
                listeners.notifyEach(l -> l.released(worker.label(), partitions));
            }
        }
    }

    private Result deliver(Claim claim, OutboxConfig config) throws Exception {
        int before = lastPartition;
        removeInDoubt(claim);
        lastPartition = claim.lastServedPartition(before);
        if (claim.isEmpty()) {
            return claim.maintained() ? Result.PROGRESS : Result.ALL_WAITING;
        }
        // Request the thread before the send, so that it sends the next batch meanwhile.
        threads.requestHelp();
        OutboxMessage next = publishAndSettle(claim, config);
        if (next != null) {
            lastPartition = claim.lastServedPartitionBefore(next, before);
        }
        threads.delivered();
        return Result.PROGRESS;
    }

    private void removeInDoubt(Claim claim) throws Exception {
        boolean others = true;
        while (others) {
            Set<Long> locked = new HashSet<>(claim.sequences());
            Set<Long> lockable = transactions.outside(() -> store.lockable(claim.sequences()));
            others = claim.removeUnlockable(lockable);
            if (claim.lease() == null) {
                // With a lease, delivery is at-least-once, and its transactions have one branch.
                locked.removeAll(lockable);
                inDoubt.found(locked);
            }
        }
    }

    /** @return the first message left for another batch, or null */
    private OutboxMessage publishAndSettle(Claim claim, OutboxConfig config) throws DeliveryException {
        List<OutboxMessage> batch = claim.messages();
        try {
            return delivery.deliver(batch, claim.unreadable(), DeliveryContext.of(worker, claim, config));
        } catch (Exception e) {
            // The next claim begins with another partition: the first message may be the cause of the failure.
            lastPartition = claim.partitions().get(0);
            listeners.notifyEach(l -> l.failed(worker.label(), batch.size(), e));
            throw new DeliveryException(batch.size(), e);
        }
    }
}

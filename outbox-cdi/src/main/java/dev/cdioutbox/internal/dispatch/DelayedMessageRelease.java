package dev.cdioutbox.internal.dispatch;

import java.time.Duration;

import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Releases delayed messages that are due, in a transaction of its own before the claim. If that fails, other messages
 * are still delivered, and then the run fails.
 */
final class DelayedMessageRelease {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final OutboxStore store;
    private final Transactions transactions;

    DelayedMessageRelease(OutboxStore store, Transactions transactions) {
        this.store = store;
        this.transactions = transactions;
    }

    void releaseDue(DestinationWorker worker) {
        if (worker.delayedReleaseDue(System.nanoTime(), PERIOD.toNanos())) {
            boolean more = false;
            Exception failure = null;
            try {
                more = transactions.outside(() -> store.releaseDelayed(worker.destination()));
            } catch (Exception e) {
                failure = e;
            }
            worker.delayedReleased(System.nanoTime(), more, failure);
        }
    }
}

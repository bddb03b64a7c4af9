package dev.cdioutbox.internal.dispatch.upkeep;

import java.time.Duration;

import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Releases the delayed messages of one destination that are due, in a transaction of its own before the claim. If that
 * fails, other messages are still delivered, and then the run fails.
 */
public final class DelayedMessageRelease {
    /** Not before every batch, but often during a long backlog. */
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final String destination;
    private final OutboxStore store;
    private final Transactions transactions;
    private volatile long lastRelease = Long.MIN_VALUE;
    private volatile Exception failure;

    public DelayedMessageRelease(String destination, OutboxStore store, Transactions transactions) {
        this.destination = destination;
        this.store = store;
        this.transactions = transactions;
    }

    public void releaseDue() {
        if (lastRelease != Long.MIN_VALUE && System.nanoTime() - lastRelease < PERIOD.toNanos()) {
            return;
        }
        boolean more = false;
        Exception why = null;
        try {
            more = transactions.outside(() -> store.releaseDelayed(destination));
        } catch (Exception e) {
            why = e;
        }
        lastRelease = more ? Long.MIN_VALUE : System.nanoTime();
        failure = why;
    }

    /** Why the last release failed, or null. */
    public Exception failure() {
        return failure;
    }
}

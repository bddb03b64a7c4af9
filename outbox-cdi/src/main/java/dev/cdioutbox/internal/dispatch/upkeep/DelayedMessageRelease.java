package dev.cdioutbox.internal.dispatch.upkeep;

import java.time.Duration;

import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Releases the due delayed messages of one destination, in a separate transaction before the claim. After a failure the
 * worker still delivers other messages, and then its run fails.
 */
public final class DelayedMessageRelease {
    /** Not before every batch, since each release is a query; but often enough during a long backlog. */
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

    /** The failure of the last release, or null. */
    public Exception failure() {
        return failure;
    }
}

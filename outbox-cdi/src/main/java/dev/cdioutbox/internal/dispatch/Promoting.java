package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Lets delayed messages in whose time has come, in a transaction of its own: by the claim they are like any other. Where that
 * fails, since somebody holds one of them, say, the others are delivered all the same, and then the run fails.
 */
final class Promoting {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final OutboxStore store;
    private final Transactions transactions;
    private final Map<Lane, Exception> failures = new ConcurrentHashMap<>();

    Promoting(OutboxStore store, Transactions transactions) {
        this.store = store;
        this.transactions = transactions;
    }

    void promote(Lane lane) {
        if (lane.promotionDue(System.nanoTime(), PERIOD.toNanos())) {
            boolean more = false;
            try {
                more = transactions.outside(() -> store.promote(lane.destination()));
                failures.remove(lane);
            } catch (Exception e) {
                failures.put(lane, e);
            }
            lane.promoted(System.nanoTime(), more);
        }
    }

    /** Why it failed last, or null. */
    Exception failure(Lane lane) {
        return failures.get(lane);
    }
}

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;

import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Lets delayed messages in whose time has come, in a transaction of its own: by the claim they are like any other. Where that
 * fails, what is due otherwise is delivered all the same, and then the run fails.
 */
final class Promoting {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final OutboxStore store;
    private final Transactions transactions;

    Promoting(OutboxStore store, Transactions transactions) {
        this.store = store;
        this.transactions = transactions;
    }

    void promote(Lane lane) {
        if (lane.promotionDue(System.nanoTime(), PERIOD.toNanos())) {
            boolean more = false;
            Exception failure = null;
            try {
                more = transactions.outside(() -> store.promote(lane.destination()));
            } catch (Exception e) {
                failure = e;
            }
            lane.promoted(System.nanoTime(), more, failure);
        }
    }
}

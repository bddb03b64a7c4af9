package dev.cdioutbox.internal.dispatch;

import java.time.Duration;

import dev.cdioutbox.internal.store.OutboxStore;

/** Lets delayed messages in whose time has come, in a transaction of its own: by the claim they are like any other. */
final class Promoting {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final OutboxStore store;
    private final Transactions transactions;

    Promoting(OutboxStore store, Transactions transactions) {
        this.store = store;
        this.transactions = transactions;
    }

    void promote(Lane lane) throws Exception {
        if (lane.promotionDue(System.nanoTime(), PERIOD.toNanos())) {
            lane.promoted(System.nanoTime(), transactions.outside(() -> store.promote(lane.destination())));
        }
    }
}

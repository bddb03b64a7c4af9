package dev.cdioutbox.tests.capture;

import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.transaction.Status;

/** Waits for the transaction manager's clock. */
final class Timeouts {
    private Timeouts() {}

    /** Returns when the current transaction is over its time, which the server tells by its status. */
    static void awaitTimeout(Desk desk) {
        await().pollInSameThread()
                .atMost(Duration.ofMinutes(2))
                .until(() -> desk.registry().getTransactionStatus() != Status.STATUS_ACTIVE);
    }
}

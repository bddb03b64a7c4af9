package dev.cdioutbox.tests.capture;

import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.transaction.Status;

final class Timeouts {
    private Timeouts() {}

    /** Returns when the status shows that the current transaction has timed out. */
    static void awaitTimeout(Desk desk) {
        await().pollInSameThread()
                .atMost(Duration.ofMinutes(2))
                .until(() -> desk.registry().getTransactionStatus() != Status.STATUS_ACTIVE);
    }
}

package dev.cdioutbox.internal.observe.health;

import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Checks the tables in an application that only captures, which has no timer. One health check at a time queries the
 * database, as often as the timer would; the others get the last result.
 */
@ApplicationScoped
class TableCheck {
    private static final double PERIOD_SECONDS = 10;

    private final AtomicBoolean checking = new AtomicBoolean();

    @Inject
    Outboxes outboxes;

    void checkWithoutTimer(Gauges gauges) {
        if (gauges.isDispatching()
                || gauges.lastTableCheckAgeSeconds() < PERIOD_SECONDS
                || !checking.compareAndSet(false, true)) {
            return;
        }
        try {
            outboxes.all().forEach(outbox -> gauges.storeChecked(outbox.name(), problem(outbox)));
        } finally {
            checking.set(false);
        }
    }

    private static String problem(OpenOutbox outbox) {
        try {
            return outbox.store().problem();
        } catch (RuntimeException e) {
            return Problem.reason(e);
        }
    }
}

package dev.cdioutbox.internal.observe.health;

import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Looks at the tables for an application that only captures, and so has no timer that does. One health check at a time
 * does it, and not more often than the timer would; the others are told what it saw last.
 */
@ApplicationScoped
class TableCheck {
    private static final double PERIOD_SECONDS = 5;

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
            outboxes.all().forEach(outbox -> gauges.storeSeen(outbox.name(), problem(outbox)));
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

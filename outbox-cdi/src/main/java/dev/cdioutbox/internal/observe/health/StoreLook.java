package dev.cdioutbox.internal.observe.health;

import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Looks at the tables for an application that only captures, and so has no timer that does. One health check at a time
 * does it, and not more often than the timer would; the others are told what it saw last.
 */
@ApplicationScoped
class StoreLook {
    private static final double PERIOD_SECONDS = 5;

    private final AtomicBoolean looking = new AtomicBoolean();

    @Inject
    OutboxStore store;

    void lookWhereNoTimerDoes(Gauges gauges) {
        if (gauges.isDispatching()
                || gauges.lastLookAgeSeconds() < PERIOD_SECONDS
                || !looking.compareAndSet(false, true)) {
            return;
        }
        try {
            gauges.storeSeen(store.problem());
        } catch (RuntimeException e) {
            gauges.storeSeen(Problem.reason(e));
        } finally {
            looking.set(false);
        }
    }
}

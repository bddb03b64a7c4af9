package dev.cdioutbox.internal.observe.health;

import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.problem.Problem;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Reports whether the tables exist and have the right shape: without them the outbox cannot store an event. Returns the
 * last result of the timer, so that the check never waits for an unreachable database.
 */
@Readiness
@ApplicationScoped
public class StoreReadiness implements HealthCheck {
    /** The timer checks every 10 s. A database that is silent for this long does not answer the application either. */
    private static final double SILENT_AFTER_SECONDS = 30;

    /** How often an application without a timer checks the tables: as often as the timer would. */
    private static final double PERIOD_SECONDS = 10;

    @Inject
    Gauges gauges;

    @Inject
    Outboxes outboxes;

    private final AtomicBoolean checking = new AtomicBoolean();

    @Override
    public HealthCheckResponse call() {
        checkWithoutTimer();
        double age = gauges.lastTableCheckAgeSeconds();
        boolean silent = age >= SILENT_AFTER_SECONDS;
        HealthCheckResponseBuilder response = HealthCheckResponse.named("outbox-store")
                .status(!silent && gauges.storeProblem() == null)
                .withData("seen-seconds-ago", Math.round(Math.min(age, Integer.MAX_VALUE)));
        if (gauges.storeProblem() != null) {
            response.withData("problem", gauges.storeProblem());
        } else if (silent) {
            response.withData("problem", "the database has not answered since then");
        }
        if (!gauges.otherModules().isEmpty()) {
            response.withData(
                    "shared-with",
                    String.join(", ", gauges.otherModules()) + ": set outbox.application to a name for each module");
        }
        return response.build();
    }

    /**
     * Checks the tables in an application that only captures, which has no timer. One health check at a time queries
     * the database; the others get the last result.
     */
    private void checkWithoutTimer() {
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

package dev.cdioutbox.internal.observe.health;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.HealthConfig;
import dev.cdioutbox.internal.observe.Gauges;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Reports the last reading of the backlog. The check is DOWN only beyond a configured limit. A node with a backlog can
 * still serve requests, and the removal of all nodes would not send a single message.
 */
@Readiness
@ApplicationScoped
public class BacklogReadiness implements HealthCheck {
    @Inject
    Gauges gauges;

    @Inject
    CurrentConfig config;

    @Override
    public HealthCheckResponse call() {
        HealthConfig limits = config.current().health();
        int waiting = gauges.pending() + gauges.failed();
        double age = gauges.oldestPendingAgeSeconds();
        boolean tooOld = limits.maxAge() != null && age > limits.maxAge().toMillis() / 1e3;
        boolean tooMany = limits.maxPending() != null && waiting > limits.maxPending();
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("outbox-backlog").status(!tooOld && !tooMany);
        if (gauges.isBacklogKnown()) {
            response.withData("pending", gauges.pending())
                    .withData("failed", gauges.failed())
                    .withData("abandoned", gauges.abandoned())
                    .withData("capped", gauges.isWaitingCapped() || gauges.isAbandonedCapped())
                    .withData("paused", gauges.paused())
                    .withData("oldest-pending-age-seconds", Math.round(age));
        } else {
            // 0 would be a guess: the dispatcher has not read the tables yet, or this application has no dispatcher.
            response.withData("backlog", "unknown");
        }
        if (tooOld) {
            response.withData("max-age", limits.maxAge().toString());
        }
        if (tooMany) {
            response.withData("max-pending", limits.maxPending());
        }
        return response.build();
    }
}

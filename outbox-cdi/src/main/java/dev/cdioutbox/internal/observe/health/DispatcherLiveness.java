package dev.cdioutbox.internal.observe.health;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.observe.Gauges;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/**
 * Proves that the timer still calls. A slow broker or a stopped database never makes this check DOWN. Otherwise an
 * orchestrator would restart a healthy server, which could leave transactions in doubt.
 */
@Liveness
@ApplicationScoped
public class DispatcherLiveness implements HealthCheck {
    /** The housekeeping timer calls every second; a busy server may be late and is still alive. */
    private static final double DEAD_AFTER_SECONDS = 60;

    @Inject
    Gauges gauges;

    @Inject
    CurrentConfig config;

    @Override
    public HealthCheckResponse call() {
        double age = gauges.lastTickAgeSeconds();
        return HealthCheckResponse.named("outbox-dispatcher")
                .withData(
                        "dispatching",
                        gauges.isDispatching() && config.current().dispatcher().enabled())
                .status(age < DEAD_AFTER_SECONDS)
                .withData("last-tick-age-seconds", Math.round(age))
                .build();
    }
}

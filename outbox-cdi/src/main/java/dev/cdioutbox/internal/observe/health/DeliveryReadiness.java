package dev.cdioutbox.internal.observe.health;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.observe.Gauges;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Reports the guarantee that this configuration really gives, and the state of each destination. Always UP:
 * undeliverable messages wait, and the application can still serve requests.
 */
@Readiness
@ApplicationScoped
public class DeliveryReadiness implements HealthCheck {
    @Inject
    Gauges gauges;

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("outbox-delivery").up();
        gauges.guarantees().values().forEach(given -> addData(given, response));
        gauges.failedRuns().forEach((destination, failures) -> addState(destination, failures, response));
        return response.build();
    }

    private void addState(String destination, int failedRuns, HealthCheckResponseBuilder response) {
        response.withData(destination + ".failed-runs", failedRuns)
                .withData(
                        destination + ".silent-seconds",
                        gauges.silence(destination).toSeconds())
                .withData(destination + ".in-doubt", gauges.inDoubt(destination))
                .withData(destination + ".in-doubt-seconds", Math.round(gauges.inDoubtSeconds(destination)));
    }

    private static void addData(GuaranteeReport given, HealthCheckResponseBuilder response) {
        String name = given.destination() + ".";
        response.withData(name + "delivery", given.delivery().toString())
                .withData(name + "proven", given.proven())
                .withData(name + "database", given.database())
                .withData(name + "broker", given.broker())
                .withData(name + "process-death", given.processDeath().toString())
                .withData(name + "host-death", given.hostDeath().toString())
                .withData(name + "broker-death", given.brokerDeath().toString())
                .withData(name + "lost-log", given.lostLog().toString());
        if (given.proven() && given.delivery() == Guarantee.EXACTLY_ONCE) {
            response.withData(name + "condition", GuaranteeReport.CONDITION);
        }
        if (given.refusal() != null) {
            response.withData(name + "refusal", given.refusal());
        }
    }
}

package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.dispatch.listener.SlotReading;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Liveness;
import org.eclipse.microprofile.health.Readiness;

/**
 * The checks of MicroProfile Health. They report the last readings of the dispatcher, so that no check waits for an
 * unreachable database or broker. Only an application that captures and has no dispatcher has no readings: there, the
 * check of the tables queries the database.
 */
@ApplicationScoped
public class HealthChecks {
    /** The housekeeping timer calls every second; a busy server may be late and is still alive. */
    private static final double DEAD_AFTER_SECONDS = 60;

    /** The timer checks every 10 s. A database that is silent for this long does not answer the application either. */
    private static final double SILENT_AFTER_SECONDS = 30;

    @Inject
    Gauges gauges;

    @Inject
    CurrentConfig config;

    @Inject
    Outboxes outboxes;

    /**
     * Proves that the timer still calls. A slow broker or a stopped database never makes this check DOWN. Otherwise an
     * orchestrator would restart a healthy server, which could leave transactions in doubt.
     */
    @Produces
    @Liveness
    public HealthCheck dispatcher() {
        return () -> {
            double age = gauges.lastTickAgeSeconds();
            // An application that only captures has no timer.
            boolean hasTimer = !Double.isNaN(age);
            HealthCheckResponseBuilder response = HealthCheckResponse.named("outbox-dispatcher")
                    .withData("dispatching", hasTimer && config.current().isDispatching())
                    .status(!hasTimer || age < DEAD_AFTER_SECONDS);
            if (hasTimer) {
                response.withData("last-tick-age-seconds", Math.round(age));
            }
            return response.build();
        };
    }

    /** Reports whether the tables exist and have the right shape: without them the outbox cannot store an event. */
    @Produces
    @Readiness
    public HealthCheck store() {
        return () -> {
            // An outbox that is only captured has no timer.
            outboxes.all().stream()
                    .filter(outbox -> !gauges.isDispatching(outbox.name()))
                    .forEach(outbox -> gauges.storeChecked(outbox.name(), outbox.problem()));
            double age = gauges.lastTableCheckAgeSeconds();
            boolean silent = age >= SILENT_AFTER_SECONDS;
            HealthCheckResponseBuilder response = HealthCheckResponse.named("outbox-store")
                    .status(!silent && gauges.storeProblem() == null)
                    .withData("seen-seconds-ago", Math.round(Math.min(age, Integer.MAX_VALUE)));
            if (gauges.storeProblem() != null) {
                response.withData("problem", open(gauges.storeProblem(), "the log says what is wrong with the tables"));
            } else if (silent) {
                response.withData("problem", "the database has not answered since then");
            }
            return response.build();
        };
    }

    /**
     * Reports the guarantee that this configuration really gives, and the state of each destination. Always UP:
     * undeliverable messages wait, and the application can still serve requests.
     */
    @Produces
    @Readiness
    public HealthCheck delivery() {
        return () -> {
            HealthCheckResponseBuilder response =
                    HealthCheckResponse.named("outbox-delivery").up();
            gauges.destinations().forEach((destination, state) -> {
                String name = destination + ".";
                if (state.guarantee() != null) {
                    addGuarantee(name, state.guarantee(), response);
                }
                response.withData(name + "failed-runs", state.failedRuns())
                        .withData(name + "silent-seconds", state.silence().toSeconds())
                        .withData(name + "in-doubt", state.inDoubt())
                        .withData(name + "in-doubt-seconds", Math.round(state.inDoubtSeconds()));
            });
            return response.build();
        };
    }

    private static void addGuarantee(String name, GuaranteeReport given, HealthCheckResponseBuilder response) {
        response.withData(name + "delivery", given.delivery().toString())
                .withData(name + "proven", given.proven())
                .withData(name + "database", given.database())
                .withData(name + "broker", given.broker())
                .withData(name + "process-death", given.processDeath().toString())
                .withData(name + "host-death", given.hostDeath().toString())
                .withData(name + "broker-death", given.brokerDeath().toString())
                .withData(name + "lost-log", given.lostLog().toString());
        if (given.isConditional()) {
            response.withData(name + "condition", GuaranteeReport.CONDITION);
        }
        if (given.refusal() != null) {
            String other = OutboxCode.withoutArguments(OutboxCode.EXACTLY_ONCE_REFUSED.code())
                    .orElseThrow();
            response.withData(name + "refusal", open(given.refusal(), other));
        }
    }

    /**
     * Reports the last reading of the backlog, and of the slot of change data capture. The check is DOWN only beyond the
     * configured limit of an outbox: a node with a backlog can still serve requests, and the removal of all nodes would not
     * send a single message.
     */
    @Produces
    @Readiness
    public HealthCheck backlog() {
        return () -> {
            List<String> tooOld = outboxes.all().stream()
                    .filter(this::isTooOld)
                    .map(OutboxInstance::name)
                    .toList();
            HealthCheckResponseBuilder response =
                    HealthCheckResponse.named("outbox-backlog").status(tooOld.isEmpty());
            if (!tooOld.isEmpty()) {
                response.withData("too-old", String.join(", ", tooOld));
            }
            outboxes.all().stream()
                    .filter(outbox -> !outbox.config()
                            .current()
                            .store()
                            .cdc()
                            .destinations()
                            .isEmpty())
                    .forEach(outbox -> addSlot(gauges.slot(outbox.name()), response));
            if (gauges.isBacklogKnown()) {
                response.withData("pending", gauges.pending())
                        .withData("failed", gauges.failed())
                        .withData("abandoned", gauges.abandoned())
                        .withData("paused", gauges.paused())
                        .withData("oldest-pending-age-seconds", Math.round(gauges.oldestPendingAgeSeconds()));
            } else {
                // 0 would be a guess: the dispatcher has not read the tables yet, or this application has no
                // dispatcher.
                response.withData("backlog", "unknown");
            }
            return response.build();
        };
    }

    private boolean isTooOld(OutboxInstance outbox) {
        Duration limit = outbox.config().current().maxBacklogAge();
        SlotReading slot = gauges.slot(outbox.name());
        double lag = slot == null ? 0 : slot.lag().toSeconds();
        return limit != null && Math.max(gauges.oldestPendingAgeSeconds(outbox.name()), lag) > limit.toMillis() / 1e3;
    }

    /** Everybody reads health, and the text of a failure may name hosts, users and statements. The log has it. */
    private static String open(String text, String otherwise) {
        return OutboxCode.withoutArguments(text).orElse(otherwise);
    }

    private static void addSlot(SlotReading slot, HealthCheckResponseBuilder response) {
        if (slot == null) {
            response.withData("cdc", "unknown");
            return;
        }
        response.withData("cdc-active", slot.active())
                .withData("cdc-wal-status", String.valueOf(slot.walStatus()))
                .withData("cdc-lag-bytes", slot.lagBytes())
                .withData("cdc-lag-seconds", slot.lag().toSeconds());
        if (slot.finding() != null) {
            response.withData(
                    "cdc-problem",
                    open(slot.finding().toString(), slot.finding().code()));
        }
    }
}

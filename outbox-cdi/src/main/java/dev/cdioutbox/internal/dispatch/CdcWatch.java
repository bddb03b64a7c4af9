package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TopicLimits;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.listener.SlotReading;
import dev.cdioutbox.internal.store.CdcState;
import dev.cdioutbox.internal.store.jdbc.CdcSetup;
import dev.cdioutbox.spi.PublishException;

/** Reads the slot of change data capture, tells the listeners, and logs when its reader goes away or comes back. */
final class CdcWatch {
    private static final Logger LOG = Logger.getLogger(CdcWatch.class.getName());

    /** A connector confirms with its heartbeats, but not more often than Connect stores offsets: once a minute by default. */
    private static final Duration UNCONFIRMED = Duration.ofMinutes(5);

    private final Services services;
    private final RepeatedLine readFailures = new RepeatedLine();
    private final RepeatedLine topicFailures = new RepeatedLine();
    private Mark mark;
    private int failures;
    /** By the codes of the findings: a slot without a reader may also be dropped. */
    private final Reported<String> reported = new Reported<>();

    /** A position in the log that was its end at some time. The database does not keep such times. */
    record Mark(long position, long nanos) {

        /** A new mark, if this one is confirmed. A slot that is gone confirms nothing. */
        Mark after(CdcState state, long now) {
            boolean isConfirmed = state.confirmed() != null && state.confirmed() >= position;
            return isConfirmed ? new Mark(state.written(), now) : this;
        }

        Duration age(long now) {
            return Duration.ofNanos(now - nanos);
        }
    }

    CdcWatch(Services services) {
        this.services = services;
    }

    /** Does nothing without change data capture. If the slot cannot be read, the listeners keep the last reading. */
    synchronized void refresh() {
        CdcSetup cdc = services.store().cdc();
        if (cdc.destinations().isEmpty()) {
            return;
        }
        List<String> labels =
                cdc.destinations().stream().map(services.config()::label).toList();
        CdcState state;
        try {
            state = services.outside(cdc::state);
        } catch (Exception e) {
            logUnread(e);
            return;
        }
        long now = services.nanoTime();
        mark = mark == null ? new Mark(state.written(), now) : mark.after(state, now);
        Duration lag = mark.age(now);
        Finding finding = cdc.finding(state).or(() -> missingTopic(cdc)).orElseGet(() -> unread(cdc, state, lag));
        SlotReading reading =
                new SlotReading(Boolean.TRUE.equals(state.active()), state.walStatus(), state.lag(), lag, finding);
        services.notifyEach(l -> l.slotRead(services.config().outbox(), labels, reading));
        log(finding, labels);
    }

    /** Looks at the topics, if the application knows Kafka. If that fails, what was known before stays. */
    private Optional<Finding> missingTopic(CdcSetup cdc) {
        if (!(services.publishers().get(DestinationConfig.KAFKA) instanceof TopicReader reader)) {
            return Optional.empty();
        }
        Finding missing = null;
        try {
            for (String name : cdc.destinations()) {
                DestinationConfig destination = services.config().destinations().get(name);
                if (!destination.knowsKafka()) {
                    continue;
                }
                Optional<TopicLimits> limits = reader.limits(services.config().label(name));
                limits.ifPresent(found -> cdc.topics().know(name, found));
                if (limits.isEmpty() && !isUnused(name, destination)) {
                    missing = OutboxCode.CDC_TOPIC_MISSING.finding(destination.address(), name);
                }
            }
        } catch (PublishException | RuntimeException e) {
            if (!services.isStopping() && topicFailures.due(services.nanoTime()) > 0) {
                LOG.warning(OutboxCode.CDC_TOPICS_UNKNOWN.text(cdc.destinations(), FailureReason.of(e)));
            }
        }
        return Optional.ofNullable(missing);
    }

    /** Every application has this destination, and many send nothing there. */
    private static boolean isUnused(String name, DestinationConfig destination) {
        return name.equals(OutboxConfig.DEFAULT_DESTINATION)
                && destination.address().equals(OutboxConfig.DEFAULT_DESTINATION);
    }

    private void logUnread(Exception e) {
        String reason = FailureReason.of(e);
        if (!services.isStopping() && readFailures.due(services.nanoTime()) > 0) {
            LOG.warning(Finding.of(reason, OutboxCode.DATABASE_FAILED.finding("reading the slot", reason))
                    .toString());
        }
    }

    private static Finding unread(CdcSetup cdc, CdcState state, Duration lag) {
        String problem = null;
        if (!state.active()) {
            problem = "has no reader";
        } else if (lag.compareTo(UNCONFIRMED) > 0) {
            problem = "is read, but nothing was confirmed for " + lag.toMinutes() + " minutes";
        }
        return problem == null
                ? null
                : OutboxCode.CDC_NOT_READ.finding(
                        cdc.slot(), cdc.application(), cdc.destinations(), problem, state.lag());
    }

    private void log(Finding finding, List<String> labels) {
        if (finding == null && failures > 0) {
            LOG.info(OutboxCode.DELIVERY_RESUMED.text(String.join(", ", labels), failures));
        }
        List<String> codes = finding == null ? List.of() : List.of(finding.code());
        reported.beginOnly(codes).forEach(code -> LOG.warning(finding.toString()));
        failures = finding == null ? 0 : failures + 1;
    }
}

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.SlotReading;
import dev.cdioutbox.internal.store.cdc.CdcSetup;
import dev.cdioutbox.internal.store.cdc.CdcState;
import dev.cdioutbox.spi.DestinationId;

/**
 * Reads the slot of change data capture, tells the listeners, and logs when its reader goes away or comes back. Does nothing in an
 * outbox without change data capture. {@code OutboxTimer.BACKLOG} calls it. Thread-safe.
 */
final class CdcWatch {
    private static final Logger LOG = Logger.getLogger(CdcWatch.class.getName());

    /** A connector confirms with its heartbeats, but not more often than Connect stores offsets: once a minute by default. */
    private static final Duration UNCONFIRMED = Duration.ofMinutes(5);

    private final CdcSetup cdc;
    private final CdcTopics topics;
    private final Supplier<OutboxConfig> config;
    private final Environment environment;
    private final RepeatedLine readFailures = new RepeatedLine();
    /** Null before the first reading. */
    private Mark mark;
    /** How many readings in a row have found something wrong. */
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

    /** @param config supplies the current configuration */
    CdcWatch(CdcSetup cdc, CdcTopics topics, Supplier<OutboxConfig> config, Environment environment) {
        this.cdc = cdc;
        this.topics = topics;
        this.config = config;
        this.environment = environment;
    }

    /** If the slot cannot be read, the listeners keep the last reading. */
    synchronized void refresh() {
        if (cdc.destinations().isEmpty()) {
            return;
        }
        List<DestinationId> ids =
                cdc.destinations().stream().map(config.get()::destinationId).toList();
        CdcState state;
        try {
            state = environment.outside(cdc::state);
        } catch (Exception e) {
            logUnread(e);
            return;
        }
        long now = environment.nanoTime();
        mark = mark == null ? new Mark(state.written(), now) : mark.after(state, now);
        Duration lag = mark.age(now);
        Finding finding = cdc.finding(state)
                .or(topics::missing)
                .or(() -> unread(state, lag))
                .orElse(null);
        SlotReading reading =
                new SlotReading(Boolean.TRUE.equals(state.active()), state.walStatus(), state.lag(), lag, finding);
        environment.notifyEach(l -> l.slotRead(config.get().outbox(), ids, reading));
        log(finding, ids);
    }

    private void logUnread(Exception e) {
        String reason = FailureReason.of(e);
        if (!environment.isStopping() && readFailures.due(environment.nanoTime()) > 0) {
            LOG.warning(Finding.of(reason, OutboxCode.DATABASE_FAILED.finding("reading the slot", reason))
                    .toString());
        }
    }

    private Optional<Finding> unread(CdcState state, Duration lag) {
        String problem = null;
        if (!state.active()) {
            problem = "has no reader";
        } else if (lag.compareTo(UNCONFIRMED) > 0) {
            problem = "is read, but nothing was confirmed for " + lag.toMinutes() + " minutes";
        }
        return problem == null
                ? Optional.empty()
                : Optional.of(OutboxCode.CDC_NOT_READ.finding(
                        cdc.slot(), cdc.application(), cdc.destinations(), problem, state.lag()));
    }

    /** @param finding null if nothing is wrong */
    private void log(Finding finding, List<DestinationId> ids) {
        if (finding == null && failures > 0) {
            LOG.info(OutboxCode.DELIVERY_RESUMED.text(
                    ids.stream().map(DestinationId::toString).collect(Collectors.joining(", ")), failures));
        }
        List<String> codes = finding == null ? List.of() : List.of(finding.code());
        reported.beginOnly(codes).forEach(code -> LOG.warning(finding.toString()));
        failures = finding == null ? 0 : failures + 1;
    }
}

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TopicLimits;
import dev.cdioutbox.internal.dispatch.container.Listeners;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.dispatch.listener.SlotReading;
import dev.cdioutbox.internal.store.CdcState;
import dev.cdioutbox.internal.store.jdbc.CdcSetup;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;

/** Reads the slot of change data capture, tells the listeners, and logs when its reader goes away or comes back. */
final class CdcWatch {
    private static final Logger LOG = Logger.getLogger(CdcWatch.class.getName());

    /** A connector confirms with its heartbeats, but not more often than Connect stores offsets: once a minute by default. */
    private static final Duration UNCONFIRMED = Duration.ofMinutes(5);

    private final CdcSetup cdc;
    private final TopicReader topics;
    private final Transactions transactions;
    private final Listeners listeners;
    private final Supplier<OutboxConfig> config;
    private final BooleanSupplier stopping;
    private final LongSupplier nanos;
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

    /**
     * @param topics reads Kafka's topics; null if the application does not know Kafka
     * @param config supplies the current configuration
     * @param nanos a monotonic clock in nanoseconds
     */
    CdcWatch(
            CdcSetup cdc,
            TopicReader topics,
            Transactions transactions,
            Listeners listeners,
            Supplier<OutboxConfig> config,
            BooleanSupplier stopping,
            LongSupplier nanos) {
        this.cdc = cdc;
        this.topics = topics;
        this.transactions = transactions;
        this.listeners = listeners;
        this.config = config;
        this.stopping = stopping;
        this.nanos = nanos;
    }

    /** Does nothing without change data capture. If the slot cannot be read, the listeners keep the last reading. */
    synchronized void refresh() {
        if (cdc.destinations().isEmpty()) {
            return;
        }
        List<DestinationId> ids =
                cdc.destinations().stream().map(config.get()::destinationId).toList();
        CdcState state;
        try {
            state = transactions.outside(cdc::state);
        } catch (Exception e) {
            logUnread(e);
            return;
        }
        long now = nanos.getAsLong();
        mark = mark == null ? new Mark(state.written(), now) : mark.after(state, now);
        Duration lag = mark.age(now);
        Finding finding = cdc.finding(state).or(() -> missingTopic()).orElseGet(() -> unread(state, lag));
        SlotReading reading =
                new SlotReading(Boolean.TRUE.equals(state.active()), state.walStatus(), state.lag(), lag, finding);
        listeners.notifyEach(l -> l.slotRead(config.get().outbox(), ids, reading));
        log(finding, ids);
    }

    /** Looks at the topics, if the application knows Kafka. If that fails, what was known before stays. */
    private Optional<Finding> missingTopic() {
        if (topics == null) {
            return Optional.empty();
        }
        Finding missing = null;
        try {
            for (String name : cdc.destinations()) {
                DestinationConfig destination = config.get().destinations().get(name);
                if (!destination.knowsKafka()) {
                    continue;
                }
                Optional<TopicLimits> limits = topics.limits(config.get().destinationId(name));
                limits.ifPresent(found -> cdc.topics().know(name, found));
                if (limits.isEmpty() && !isUnused(name, destination)) {
                    missing = OutboxCode.CDC_TOPIC_MISSING.finding(destination.address(), name);
                }
            }
        } catch (PublishException | RuntimeException e) {
            if (!stopping.getAsBoolean() && topicFailures.due(nanos.getAsLong()) > 0) {
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
        if (!stopping.getAsBoolean() && readFailures.due(nanos.getAsLong()) > 0) {
            LOG.warning(Finding.of(reason, OutboxCode.DATABASE_FAILED.finding("reading the slot", reason))
                    .toString());
        }
    }

    private Finding unread(CdcState state, Duration lag) {
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

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Logs the failed runs of one worker: the first one, the first one for another reason, the first one that refuses
 * exactly-once, and then one line a minute. The worker reports one run at a time.
 */
final class FailureLog {
    private static final Logger LOG = Logger.getLogger(FailureLog.class.getName());
    private static final Duration REPORT_PERIOD = Duration.ofMinutes(1);

    private final String label;
    private long failingSince;
    private long lastReport;
    private boolean isRefused;
    private String firstReason;
    private boolean isOtherReported;

    /** @param label the label of the destination */
    FailureLog(String label) {
        this.label = label;
    }

    /**
     * Reports a failed run.
     *
     * @param failures the number of consecutive failed runs, with this one
     */
    void failed(Throwable failure, int failures, long now) {
        String refusal = failure instanceof DeliveryException batch ? batch.refusal() : null;
        boolean wasRefused = isRefused && failures > 1;
        isRefused = refusal != null;
        if (failures == 1) {
            failingSince = now;
            firstReason = FailureReason.of(failure);
            isOtherReported = false;
        }
        if (isRefused && !wasRefused) {
            lastReport = now;
            LOG.severe(OutboxCode.EXACTLY_ONCE_REFUSED.text(label, refusal));
        } else if (failures == 1) {
            lastReport = now;
            LOG.log(Level.WARNING, failure, () -> firstFailure(failure));
        } else if (now - lastReport >= REPORT_PERIOD.toNanos() || isOther(failure)) {
            isOtherReported |= isOther(failure);
            lastReport = now;
            Duration since =
                    Duration.ofSeconds(Duration.ofNanos(now - failingSince).toSeconds());
            // The container's exception lacks the reason of a refusal.
            String reason = isRefused ? refusal : FailureReason.of(failure);
            LOG.warning(OutboxCode.STILL_FAILING.text(label, failures, since, reason));
        }
    }

    /**
     * Whether this is the first failure for another reason than the first one, which is often only a connection that broke.
     */
    private boolean isOther(Throwable failure) {
        return !isRefused && !isOtherReported && !FailureReason.of(failure).equals(firstReason);
    }

    private String firstFailure(Throwable failure) {
        String reason = FailureReason.of(failure);
        // The container's exception may be in between.
        boolean isFull = Stream.iterate(failure, Objects::nonNull, e -> e.getCause() == e ? null : e.getCause())
                .anyMatch(cause ->
                        cause instanceof PublishException refused && refused.blame() == Blame.DESTINATION_FULL);
        return (isFull ? OutboxCode.DESTINATION_FULL : OutboxCode.DELIVERY_FAILED).text(label, reason);
    }

    /** @param failures the number of failed runs before the successful one */
    void resumed(int failures) {
        LOG.info(OutboxCode.DELIVERY_RESUMED.text(label, failures));
    }
}

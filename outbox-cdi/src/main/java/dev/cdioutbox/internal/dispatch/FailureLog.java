package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryException;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Logs the failed runs of one worker: the first one, the first one for another reason, each one that refuses
 * exactly-once after another failure, and then one line a minute. The worker reports one run at a time.
 */
public final class FailureLog {
    private static final Logger LOG = Logger.getLogger(FailureLog.class.getName());
    private static final Duration PERIOD = Duration.ofMinutes(1);

    private final String label;
    private Outage outage;

    private enum Line {
        REFUSED,
        FIRST,
        /** The first line for another reason than that of the first failure, which is often only a broken connection. */
        OTHER_REASON,
        PERIODIC,
        NONE
    }

    /**
     * The failed runs since the last success.
     *
     * @param reason why the first one failed
     * @param isRefused whether the last one refused exactly-once
     * @param writtenAt when the last line was written
     */
    private record Outage(long since, String reason, boolean isOtherReasonWritten, boolean isRefused, long writtenAt) {

        static Outage since(long now, String reason) {
            return new Outage(now, reason, false, false, now);
        }

        Line lineFor(int failures, boolean refused, String why, long now) {
            if (refused && !isRefused) {
                return Line.REFUSED;
            }
            if (failures == 1) {
                return Line.FIRST;
            }
            if (!refused && !isOtherReasonWritten && !why.equals(reason)) {
                return Line.OTHER_REASON;
            }
            return now - writtenAt >= PERIOD.toNanos() ? Line.PERIODIC : Line.NONE;
        }

        Outage after(Line line, boolean refused, long now) {
            boolean isOther = isOtherReasonWritten || line == Line.OTHER_REASON;
            return new Outage(since, reason, isOther, refused, line == Line.NONE ? writtenAt : now);
        }
    }

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
        // The container's exception lacks the reason of a refusal.
        String reason = refusal == null ? FailureReason.of(failure) : refusal;
        Outage before = failures == 1 ? Outage.since(now, reason) : outage;
        Line line = before.lineFor(failures, refusal != null, reason, now);
        outage = before.after(line, refusal != null, now);
        switch (line) {
            case REFUSED -> LOG.severe(finding(label, failure).toString());
            case FIRST -> LOG.log(Level.WARNING, finding(label, failure).toString(), trace(failure));
            case OTHER_REASON, PERIODIC ->
                LOG.warning(OutboxCode.STILL_FAILING.text(label, inSeconds(now - before.since), failures, reason));
            case NONE -> {}
        }
    }

    /**
     * What a line has a stack trace of; null if publisher or store have explained the failure: then the trace has a hundred
     * lines of the container's calls, and says no more than the text.
     */
    static Throwable trace(Throwable failure) {
        return Causes.any(failure, e -> e instanceof PublishException || e instanceof OutboxException) ? null : failure;
    }

    private static Duration inSeconds(long nanos) {
        return Duration.ofSeconds(Duration.ofNanos(nanos).toSeconds());
    }

    /** What a failed run to a destination says of it, in the log as for the doctor. */
    public static Finding finding(String label, Throwable failure) {
        if (failure instanceof DeliveryException batch && batch.refusal() != null) {
            return OutboxCode.EXACTLY_ONCE_REFUSED.finding(label, batch.refusal());
        }
        String reason = FailureReason.of(failure);
        // The container's exception may be in between.
        boolean isFull = Causes.any(
                failure, e -> e instanceof PublishException refused && refused.blame() == Blame.DESTINATION_FULL);
        return (isFull ? OutboxCode.DESTINATION_FULL : OutboxCode.DELIVERY_FAILED).finding(label, reason);
    }

    /** @param failures the number of failed runs before the successful one */
    void resumed(int failures) {
        LOG.info(OutboxCode.DELIVERY_RESUMED.text(label, failures));
    }
}

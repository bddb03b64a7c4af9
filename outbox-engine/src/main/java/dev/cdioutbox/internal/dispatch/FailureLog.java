package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryException;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Logs the failed runs of one worker: the first one, the first one for another reason, each one that refuses
 * exactly-once after another failure, and then one line a minute. The worker reports one run at a time.
 */
public final class FailureLog {
    private static final Logger LOG = Logger.getLogger(FailureLog.class.getName());

    private final DestinationId destination;
    private final RepeatedLine line = new RepeatedLine();
    /** What the lines of this outage have told of. */
    private final Reported<Kind> told = new Reported<>();
    /** When the first run failed, in nanoseconds, and why. */
    private long since;

    private String firstReason;

    /** How a failed run differs from those before it in the same outage. */
    private enum Kind {
        FIRST,
        LIKE_THE_FIRST,
        /** Often the first failure is only a broken connection. Further reasons wait for the next line. */
        OTHER_REASON,
        REFUSED
    }

    FailureLog(DestinationId destination) {
        this.destination = destination;
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
        if (failures == 1) {
            since = now;
            firstReason = reason;
            line.end();
            told.endAll();
        }
        Kind kind = kind(failures, refusal != null, reason);
        boolean isNew = begin(kind);
        if (line.due(now, isNew) == 0) {
            return;
        }
        if (isNew && kind == Kind.REFUSED) {
            LOG.severe(finding(destination, failure).toString());
        } else if (isNew && kind == Kind.FIRST) {
            LOG.log(Level.WARNING, finding(destination, failure).toString(), trace(failure));
        } else {
            LOG.warning(OutboxCode.STILL_FAILING.text(destination, inSeconds(now - since), failures, reason));
        }
    }

    private Kind kind(int failures, boolean isRefused, String reason) {
        if (isRefused) {
            return Kind.REFUSED;
        }
        if (failures == 1) {
            return Kind.FIRST;
        }
        return reason.equals(firstReason) ? Kind.LIKE_THE_FIRST : Kind.OTHER_REASON;
    }

    /** A refusal is told again after another failure. */
    private boolean begin(Kind kind) {
        if (kind != Kind.REFUSED) {
            told.end(Kind.REFUSED);
        }
        return kind != Kind.LIKE_THE_FIRST && told.begin(kind);
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
    public static Finding finding(DestinationId destination, Throwable failure) {
        if (failure instanceof DeliveryException batch && batch.refusal() != null) {
            return OutboxCode.EXACTLY_ONCE_REFUSED.finding(destination, batch.refusal());
        }
        String reason = FailureReason.of(failure);
        // The container's exception may be in between.
        boolean isFull = Causes.any(
                failure, e -> e instanceof PublishException refused && refused.blame() == Blame.DESTINATION_FULL);
        return (isFull ? OutboxCode.DESTINATION_FULL : OutboxCode.DELIVERY_FAILED).finding(destination, reason);
    }

    /** @param failures the number of failed runs before the successful one */
    void resumed(int failures) {
        LOG.info(OutboxCode.DELIVERY_RESUMED.text(destination, failures));
    }
}

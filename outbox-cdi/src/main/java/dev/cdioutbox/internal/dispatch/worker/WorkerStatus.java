package dev.cdioutbox.internal.dispatch.worker;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.CommitOutcomeUnknownException;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * The outcome of a worker's runs. Logs one line for each change, and one a minute
 * while deliveries fail. Readable by any thread; {@link WorkerThreads} reports one run at a time.
 */
public final class WorkerStatus {
    private static final Logger LOG = Logger.getLogger(WorkerStatus.class.getName());
    private static final Duration REPORT_PERIOD = Duration.ofMinutes(1);

    private final String label;
    private final Environment environment;
    private volatile int failures;
    private volatile long failingSince;
    private volatile long lastReport;
    private volatile String lastRefusal;
    private volatile long lastEnd = Long.MIN_VALUE;

    /** @param label the label of the destination */
    public WorkerStatus(String label, Environment environment) {
        this.label = label;
        this.environment = environment;
    }

    /** The number of consecutive failed runs. */
    public int failures() {
        return failures;
    }

    /**
     * Reports the end of a run.
     *
     * @param failure the failure, or null
     */
    public void runEnded(Throwable failure, long now) {
        if (failure != null) {
            if (failures == 0) {
                failingSince = now;
                lastReport = now;
            }
            failures++;
            lastEnd = now;
            logFailure(failure, now);
        } else if (environment.config().dispatcher().enabled()) {
            if (failures > 0) {
                LOG.info(Problem.DELIVERY_RESUMED.text(label, failures));
            }
            failures = 0;
            lastRefusal = null;
            lastEnd = now;
        }
    }

    /** Logs the first failure, a failure of another kind, and then one line a minute. */
    private void logFailure(Throwable e, long now) {
        String reason = Problem.reason(e);
        String refusal = e instanceof DeliveryException batch ? batch.refusal() : null;
        if (refusal == null) {
            // The same refusal after an outage is news.
            lastRefusal = null;
        }
        if (refusal != null && refusalDue(refusal, now)) {
            LOG.severe(Problem.EXACTLY_ONCE_REFUSED.text(label, refusal));
        } else if (failures == 1) {
            int messages = e instanceof DeliveryException batch ? batch.messages() : 0;
            LOG.log(Level.WARNING, e, () -> firstFailure(e.getCause(), messages, reason));
        } else if (reportDue(now)) {
            Duration since =
                    Duration.ofSeconds(Duration.ofNanos(now - failingSince).toSeconds());
            LOG.warning(Problem.STILL_FAILING.text(label, failures, since, reason));
        }
    }

    private String firstFailure(Throwable cause, int messages, String reason) {
        if (cause instanceof CommitOutcomeUnknownException) {
            return Problem.COMMIT_UNKNOWN.text(label, messages, reason);
        }
        if (cause instanceof PublishException failure && failure.blame() == Blame.DESTINATION_FULL) {
            return Problem.DESTINATION_FULL.text(label, messages, reason);
        }
        String consequence =
                messages == 0 ? "its messages wait" : messages + " message(s) are rolled back and will be tried again";
        return Problem.DELIVERY_FAILED.text(label, consequence, reason);
    }

    /** Whether the report period has passed since the last line about a failure. */
    private boolean reportDue(long nanos) {
        if (nanos - lastReport < REPORT_PERIOD.toNanos()) {
            return false;
        }
        lastReport = nanos;
        return true;
    }

    /**
     * Whether a refusal of exactly-once has to be reported now: the first one, or one with another reason, but at most
     * one a period, since the reason may differ at each probe.
     */
    private boolean refusalDue(String refusal, long nanos) {
        if (refusal.equals(lastRefusal) || lastRefusal != null && !reportDue(nanos)) {
            return false;
        }
        lastRefusal = refusal;
        return true;
    }

    /**
     * Whether a run ended so recently that a late timer call has nothing to do. False after the first of several
     * failures: then the call is the container's own retry.
     */
    public boolean ranRecently(long nanos, long within) {
        return lastEnd != Long.MIN_VALUE && failures != 1 && nanos - lastEnd < within;
    }
}

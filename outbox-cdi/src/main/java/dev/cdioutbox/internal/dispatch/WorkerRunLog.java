package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/** Logs the outcome of runs: one line for each change, and one a minute while deliveries fail. */
final class WorkerRunLog {
    private static final Logger LOG = Logger.getLogger(WorkerRunLog.class.getName());
    private static final Duration REPORT_PERIOD = Duration.ofMinutes(1);

    private WorkerRunLog() {}

    /**
     * A run is over.
     *
     * @param failure the failure, or null
     * @param on whether the dispatcher was enabled
     */
    static void of(DestinationWorker worker, Throwable failure, boolean on) {
        if (failure != null) {
            failed(worker, failure);
        } else if (on) {
            succeeded(worker);
        }
    }

    private static void succeeded(DestinationWorker worker) {
        int before = worker.succeeded(System.nanoTime());
        if (before > 0) {
            LOG.info(Problem.DELIVERY_RESUMED.text(worker.label(), before));
        }
    }

    /** Logs the first failure, a failure of another kind, and then one line a minute. */
    private static void failed(DestinationWorker worker, Throwable e) {
        long now = System.nanoTime();
        worker.failed(now);
        String reason = Problem.reason(e);
        if (worker.probeState().takeUnreportedRefusal(now, REPORT_PERIOD.toNanos())) {
            LOG.severe(Problem.EXACTLY_ONCE_REFUSED.text(
                    worker.label(), worker.probeState().refusal()));
        } else if (worker.failures() == 1) {
            int messages = e instanceof DeliveryException batch ? batch.messages() : 0;
            Problem problem = problem(e.getCause());
            LOG.log(Level.WARNING, e, () -> problem.text(worker.label(), messages, reason));
        } else if (worker.reportDue(now, REPORT_PERIOD.toNanos())) {
            Duration since =
                    Duration.ofSeconds(Duration.ofNanos(worker.failingFor(now)).toSeconds());
            LOG.warning(Problem.STILL_FAILING.text(worker.label(), worker.failures(), since, reason));
        }
    }

    private static Problem problem(Throwable cause) {
        if (cause instanceof CommitOutcomeUnknownException) {
            return Problem.COMMIT_UNKNOWN;
        }
        return cause instanceof PublishException failure && failure.blame() == Blame.DESTINATION_FULL
                ? Problem.DESTINATION_FULL
                : Problem.DELIVERY_FAILED;
    }
}

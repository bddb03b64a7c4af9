package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;

/** What the log says of a worker's runs: a line for each change, and a periodic one. */
final class WorkerRunLog {
    private static final Logger LOG = Logger.getLogger(WorkerRunLog.class.getName());
    private static final Duration REPORT_PERIOD = Duration.ofMinutes(1);

    private WorkerRunLog() {}

    /**
     * A run is over.
     *
     * @param failure what failed, or null
     * @param on whether anything was to be delivered
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

    /** One line when it begins or turns out to be of another kind, one a minute while it lasts. */
    private static void failed(DestinationWorker worker, Throwable e) {
        long now = System.nanoTime();
        worker.failed(now);
        String reason = Problem.reason(e);
        if (worker.probeState().takeUnreportedRefusal(now, REPORT_PERIOD.toNanos())) {
            LOG.severe(Problem.EXACTLY_ONCE_REFUSED.text(
                    worker.label(), worker.probeState().refusal()));
        } else if (worker.failures() == 1) {
            int messages = e instanceof DeliveryException batch ? batch.messages() : 0;
            Problem problem = e.getCause() instanceof CommitOutcomeUnknownException
                    ? Problem.COMMIT_UNKNOWN
                    : Problem.DELIVERY_FAILED;
            LOG.log(Level.WARNING, e, () -> problem.text(worker.label(), messages, reason));
        } else if (worker.reportDue(now, REPORT_PERIOD.toNanos())) {
            Duration since =
                    Duration.ofSeconds(Duration.ofNanos(worker.failingFor(now)).toSeconds());
            LOG.warning(Problem.STILL_FAILING.text(worker.label(), worker.failures(), since, reason));
        }
    }
}

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;

/** What the log says of a lane's runs: a line for each change, and a periodic one. */
final class RunReport {
    private static final Logger LOG = Logger.getLogger(RunReport.class.getName());
    private static final Duration REPORT_PERIOD = Duration.ofMinutes(1);

    private RunReport() {}

    /**
     * A run is over.
     *
     * @param failure what failed, or null
     * @param on whether anything was to be delivered
     */
    static void of(Lane lane, Throwable failure, boolean on) {
        if (failure != null) {
            failed(lane, failure);
        } else if (on) {
            succeeded(lane);
        }
    }

    private static void succeeded(Lane lane) {
        int before = lane.succeeded(System.nanoTime());
        if (before > 0) {
            LOG.info(Problem.DELIVERY_RESUMED.text(lane.label(), before));
        }
    }

    /** One line when it begins or turns out to be of another kind, one a minute while it lasts. */
    private static void failed(Lane lane, Throwable e) {
        long now = System.nanoTime();
        lane.failed(now);
        String reason = Problem.reason(e);
        if (lane.proof().isNews(now, REPORT_PERIOD.toNanos())) {
            LOG.severe(
                    Problem.EXACTLY_ONCE_REFUSED.text(lane.label(), lane.proof().refusal()));
        } else if (lane.failures() == 1) {
            int messages = e instanceof DeliveryException batch ? batch.messages() : 0;
            Problem problem =
                    e.getCause() instanceof UnclearCommitException ? Problem.COMMIT_UNKNOWN : Problem.DELIVERY_FAILED;
            LOG.log(Level.WARNING, e, () -> problem.text(lane.label(), messages, reason));
        } else if (lane.reportDue(now, REPORT_PERIOD.toNanos())) {
            Duration since =
                    Duration.ofSeconds(Duration.ofNanos(lane.failingFor(now)).toSeconds());
            LOG.warning(Problem.STILL_FAILING.text(lane.label(), lane.failures(), since, reason));
        }
    }
}

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.Objects;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.dispatch.delivery.WorkerPublisher;
import dev.cdioutbox.internal.dispatch.worker.WorkerStatus;
import dev.cdioutbox.internal.dispatch.worker.WorkerThreads;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Switches a worker to the shadow destination and back, and logs both with the last shadowed sequence. Shadowing also
 * ends when the dispatcher is disabled, so that no message beyond the logged sequence gets a mark.
 */
final class ShadowSwitch {
    private static final Logger LOG = Logger.getLogger(ShadowSwitch.class.getName());

    /** Another thread ends within the time of its batch, unless its send hangs. */
    private static final Duration REPORT_AFTER = Duration.ofMinutes(1);

    private final WorkerStatus worker;
    private final WorkerThreads threads;
    private final OutboxStore store;
    private final Transactions transactions;
    private volatile String current;
    private Long waitingSince;
    private boolean reported;

    ShadowSwitch(WorkerStatus worker, WorkerThreads threads, OutboxStore store, Transactions transactions) {
        this.worker = worker;
        this.threads = threads;
        this.store = store;
        this.transactions = transactions;
    }

    /**
     * Applies a change of the shadow destination. Call this between two batches.
     *
     * @param nanos a monotonic clock in nanoseconds
     * @return false if the calling thread must end: other threads of the worker may still use the previous
     *     configuration, and only the last one switches
     */
    boolean applyConfig(DispatcherConfig now, long nanos) throws Exception {
        String before = current;
        String shadow = now.enabled() ? now.shadowDestination() : null;
        if (Objects.equals(before, shadow)) {
            switched();
            return true;
        }
        if (!threads.isOnlyThread()) {
            waits(nanos);
            return false;
        }
        switched();
        if (before != null) {
            Long highest = transactions.outside(() -> store.highestShadowed(worker.destination()));
            LOG.info(Problem.SHADOWING_ENDED.text(worker.label(), highest == null ? "none" : highest));
        }
        if (shadow != null) {
            LOG.info(Problem.SHADOWING_BEGINS.text(
                    worker.label(), WorkerPublisher.isNowhere(shadow) ? "nowhere" : "to '" + shadow + "'"));
        }
        current = shadow;
        return true;
    }

    /** Until the last thread has ended, the worker sends nothing. A thread whose send hangs may never end. */
    private synchronized void waits(long nanos) {
        waitingSince = waitingSince == null ? Long.valueOf(nanos) : waitingSince;
        if (!reported && nanos - waitingSince >= REPORT_AFTER.toNanos()) {
            reported = true;
            LOG.warning(Problem.SHADOW_SWITCH_WAITS.text(worker.label(), REPORT_AFTER));
        }
    }

    private synchronized void switched() {
        waitingSince = null;
        reported = false;
    }
}

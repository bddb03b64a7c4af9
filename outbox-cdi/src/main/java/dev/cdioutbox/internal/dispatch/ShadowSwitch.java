package dev.cdioutbox.internal.dispatch;

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

    private final WorkerStatus worker;
    private final WorkerThreads threads;
    private final OutboxStore store;
    private final Transactions transactions;
    private volatile String current;

    ShadowSwitch(WorkerStatus worker, WorkerThreads threads, OutboxStore store, Transactions transactions) {
        this.worker = worker;
        this.threads = threads;
        this.store = store;
        this.transactions = transactions;
    }

    /**
     * Applies a change of the shadow destination. Call this between two batches.
     *
     * @return false if the calling thread must end: other threads of the worker may still use the previous
     *     configuration, and only the last one switches
     */
    boolean applyConfig(DispatcherConfig now) throws Exception {
        String before = current;
        String shadow = now.enabled() ? now.shadowDestination() : null;
        if (Objects.equals(before, shadow)) {
            return true;
        }
        if (!threads.isOnlyThread()) {
            return false;
        }
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
}

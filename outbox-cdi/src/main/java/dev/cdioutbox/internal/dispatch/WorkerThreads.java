package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Asks the container for threads on behalf of a destination worker. Thread-safe. */
final class WorkerThreads {
    private static final Logger LOG = Logger.getLogger(WorkerThreads.class.getName());

    private volatile Consumer<String> requestThread = label -> {};
    private volatile Consumer<String> handOver = label -> {};
    private volatile long maxSlice = Long.MAX_VALUE;

    void startThreadsWith(Consumer<String> call) {
        requestThread = call;
    }

    /** @param after how long one thread works before another one continues in its place */
    void handOverWith(Consumer<String> call, Duration after) {
        handOver = call;
        maxSlice = after.toNanos();
    }

    /** Requests another thread beside this one, if the worker has work for it. */
    void requestThread(DestinationWorker worker) {
        if (worker.wantsThread()) {
            request(requestThread, worker);
        }
    }

    /**
     * Starts a new run for a worker whose timer thread hangs in the worker: the container never calls that timer again.
     */
    void checkStalled(DestinationWorker worker, long interval) {
        long now = System.nanoTime();
        Consumer<Throwable> report = why -> WorkerRunLog.of(worker, why, true);
        worker.detachStalledThreads(now, interval, report);
        if (worker.isStalled(now, interval, report)) {
            request(handOver, worker);
        }
    }

    /** A thread begins to work. */
    TimeSlice beginSlice() {
        return new TimeSlice();
    }

    /** If no thread is available, the current thread or the timer continues the run. */
    private static void request(Consumer<String> whom, DestinationWorker worker) {
        try {
            whom.accept(worker.label());
        } catch (RuntimeException e) {
            LOG.log(Level.FINE, "no thread is available; the current run continues", e);
        }
    }

    /**
     * The working time of one thread. A stopping server waits for each running task before it stops the application; so
     * a task must end before the backlog does.
     */
    final class TimeSlice {
        private final long begin = System.nanoTime();

        boolean isOver() {
            return System.nanoTime() - begin >= maxSlice;
        }

        /** @return whether the time is over, and another thread was asked to continue */
        boolean isHandedOver(DestinationWorker worker) {
            boolean over = isOver();
            if (over) {
                request(handOver, worker);
            }
            return over;
        }
    }
}

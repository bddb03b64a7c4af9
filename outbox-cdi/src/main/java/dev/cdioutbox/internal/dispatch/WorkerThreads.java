package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The container's threads, as a worker asks for them. Thread-safe. */
final class WorkerThreads {
    private static final Logger LOG = Logger.getLogger(WorkerThreads.class.getName());

    private volatile Consumer<String> requestThread = label -> {};
    private volatile Consumer<String> handOver = label -> {};
    private volatile long maxSlice = Long.MAX_VALUE;

    void startThreadsWith(Consumer<String> call) {
        requestThread = call;
    }

    /**
     * @param after how long one thread works before another one goes on in its place
     */
    void handOverWith(Consumer<String> call, Duration after) {
        handOver = call;
        maxSlice = after.toNanos();
    }

    /** Another thread beside this one, if the worker has work for it. */
    void requestThread(DestinationWorker worker) {
        if (worker.wantsThread()) {
            request(requestThread, worker);
        }
    }

    /** What a worker's timer cannot do while its own thread hangs in the worker. */
    void checkStalled(DestinationWorker worker, long interval) {
        long now = System.nanoTime();
        Consumer<Throwable> report = why -> WorkerRunLog.of(worker, why, true);
        worker.detachStalledThreads(now, interval, report);
        if (worker.isStalled(now, interval, report)) {
            request(handOver, worker);
        }
    }

    /** A thread begins. */
    TimeSlice beginSlice() {
        return new TimeSlice();
    }

    /** Without it the worker's own thread or its timer goes on. */
    private static void request(Consumer<String> whom, DestinationWorker worker) {
        try {
            whom.accept(worker.label());
        } catch (RuntimeException e) {
            LOG.log(Level.FINE, "nobody comes; the destination worker goes on by itself", e);
        }
    }

    /**
     * One thread's time. A server that stops waits for each task that is under way, before it tells the application; so a task
     * must not last as long as a backlog does.
     */
    final class TimeSlice {
        private final long begin = System.nanoTime();

        boolean isOver() {
            return System.nanoTime() - begin >= maxSlice;
        }

        /** True if it is not this thread that has to go on. */
        boolean isHandedOver(DestinationWorker worker) {
            boolean over = isOver();
            if (over) {
                request(handOver, worker);
            }
            return over;
        }
    }
}

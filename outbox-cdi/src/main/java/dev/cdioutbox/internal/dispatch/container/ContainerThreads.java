package dev.cdioutbox.internal.dispatch.container;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Requests threads from the container, by the labels of workers. Thread-safe. */
public final class ContainerThreads {
    /** How long a thread works before another one continues: a server that stops waits for the running ones. */
    public static final Duration TIME_SLICE = Duration.ofSeconds(1);

    private static final Logger LOG = Logger.getLogger(ContainerThreads.class.getName());

    private volatile Consumer<String> joinRun = label -> {};
    private volatile Consumer<String> run = label -> {};
    private volatile long timeSlice = Long.MAX_VALUE;

    public void startThreadsWith(Consumer<String> call) {
        joinRun = call;
    }

    /** @param after the time slice, after which another thread continues the work */
    public void handOverWith(Consumer<String> call, Duration after) {
        run = call;
        timeSlice = after.toNanos();
    }

    /** Requests a thread that joins the current run of a worker. */
    public void requestJoin(String label) {
        request(joinRun, label);
    }

    /** Requests a thread that runs a worker. */
    public void requestRun(String label) {
        request(run, label);
    }

    /**
     * Whether a thread has worked for long enough. A stopping server waits for each running task before it stops the
     * application, so a task may not last as long as a backlog.
     *
     * @param begin the start of the thread's work, in nanoseconds
     */
    public boolean isTimeSliceOver(long begin) {
        return System.nanoTime() - begin >= timeSlice;
    }

    /** If no thread is available, the current thread or the timer continues the run. */
    private static void request(Consumer<String> call, String label) {
        try {
            call.accept(label);
        } catch (RuntimeException e) {
            LOG.log(Level.FINE, "no thread is available; the current run continues", e);
        }
    }
}

package dev.cdioutbox.internal.dispatch.worker;

import java.util.function.Consumer;

/** The threads that work in a destination worker at the same time. Guarded by {@link WorkerThreads}. */
public final class WorkerRun {
    int threads;
    boolean delivered;
    long failedAt;
    private boolean reported;
    private volatile Throwable failure;

    /** The first failure, or null. */
    public Throwable failure() {
        return failure;
    }

    /** Whether the run has a failure that was not reported yet. */
    boolean hasUnreportedFailure() {
        return failure != null && !reported;
    }

    void report(Consumer<Throwable> listener) {
        reported = true;
        listener.accept(failure);
    }

    void failed(Throwable why, long nanos) {
        if (failure == null && why != null) {
            failure = why;
            failedAt = nanos;
        }
    }
}

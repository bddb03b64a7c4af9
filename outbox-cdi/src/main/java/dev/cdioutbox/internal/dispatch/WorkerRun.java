package dev.cdioutbox.internal.dispatch;

import java.util.function.Consumer;

/** The threads that are in a worker at a time. It belongs to the worker, whose lock guards it. */
final class WorkerRun {
    int threads;
    boolean delivered;
    long failedAt;
    private boolean reported;
    private volatile Throwable failure;

    /** What failed first, or null. */
    Throwable failure() {
        return failure;
    }

    /** Whether something failed that nobody was told of. */
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

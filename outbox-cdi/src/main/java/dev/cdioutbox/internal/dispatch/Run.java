package dev.cdioutbox.internal.dispatch;

import java.util.function.Consumer;

/** The threads that are in a lane at a time. It belongs to the lane, whose lock guards it. */
final class Run {
    int inside;
    boolean delivered;
    long failedAt;
    private boolean told;
    private volatile Throwable failure;

    /** What failed first, or null. */
    Throwable failure() {
        return failure;
    }

    /** Whether something failed that nobody was told of. */
    boolean hasNews() {
        return failure != null && !told;
    }

    void tell(Consumer<Throwable> listener) {
        told = true;
        listener.accept(failure);
    }

    void failed(Throwable why, long nanos) {
        if (failure == null && why != null) {
            failure = why;
            failedAt = nanos;
        }
    }
}

package dev.cdioutbox.internal.dispatch;

/** The threads that are in a lane at a time. It belongs to the lane, whose lock guards it. */
final class Run {
    int inside;
    boolean delivered;
    long failedAt;
    private volatile Throwable failure;

    /** What failed first, or null. */
    Throwable failure() {
        return failure;
    }

    void failed(Throwable why, long nanos) {
        if (failure == null && why != null) {
            failure = why;
            failedAt = nanos;
        }
    }
}

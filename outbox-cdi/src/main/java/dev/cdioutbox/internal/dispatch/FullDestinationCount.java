package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the messages that a destination has rejected since it last accepted one. Thread-safe. */
final class FullDestinationCount {
    private static final Duration REPORT_PERIOD = Duration.ofMinutes(1);

    private final AtomicInteger rejectedInARow = new AtomicInteger();
    private final AtomicLong lastReport = new AtomicLong(Long.MIN_VALUE);

    void messageAccepted() {
        rejectedInARow.set(0);
    }

    /** Whether some more may be rescheduled without a charge. */
    boolean maySchedule(int some) {
        boolean few = rejectedInARow.get() < SendResultBuilder.MAX_REJECTED;
        if (few) {
            rejectedInARow.addAndGet(some);
        }
        return few;
    }

    /** Whether it is time to say that some were. */
    boolean takeReportDue(long nanos) {
        long before = lastReport.get();
        return (before == Long.MIN_VALUE || nanos - before >= REPORT_PERIOD.toNanos())
                && lastReport.compareAndSet(before, nanos);
    }
}

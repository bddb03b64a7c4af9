package dev.cdioutbox.internal.code;

import java.time.Duration;

/** A log line that may be due thousands of times a minute: written at most once a minute, with a count. Thread-safe. */
public final class RepeatedLine {
    private static final long PERIOD_NANOS = Duration.ofMinutes(1).toNanos();

    private int count;
    private boolean written;
    private long lastNanos;

    /** @return how often the line was due since it was last written; 0 if it is not to be written now */
    public synchronized int due(long nanos) {
        count++;
        if (written && nanos - lastNanos < PERIOD_NANOS) {
            return 0;
        }
        int due = count;
        count = 0;
        written = true;
        lastNanos = nanos;
        return due;
    }
}

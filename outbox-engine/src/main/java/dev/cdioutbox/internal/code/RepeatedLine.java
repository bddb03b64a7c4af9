package dev.cdioutbox.internal.code;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A log line that may be due thousands of times a minute: it is written the first time, and then at most once a period, with a
 * count. {@link Reported} is for what is logged only once. Thread-safe.
 */
public final class RepeatedLine {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final long period;
    private int total;
    private int unwritten;
    private long writtenAt;

    /** With a period of a minute. */
    public RepeatedLine() {
        this(MINUTE);
    }

    public RepeatedLine(Duration period) {
        this.period = period.toNanos();
    }

    /** @return how often the line was due since it was last written; 0 if it is not to be written now */
    public int due(long nanos) {
        return due(nanos, false);
    }

    /** @param atOnce whether the line is to be written even if it was written a moment ago, because it says something new */
    public synchronized int due(long nanos, boolean atOnce) {
        boolean isFirst = total == 0;
        total++;
        unwritten++;
        if (!isFirst && !atOnce && nanos - writtenAt < period) {
            return 0;
        }
        int due = unwritten;
        unwritten = 0;
        writtenAt = nanos;
        return due;
    }

    /**
     * Forgets what the line was about, which is over: the next time, it is written at once.
     *
     * @return how often the line was due; 0 if it never was
     */
    public synchronized int end() {
        int due = total;
        total = 0;
        unwritten = 0;
        return due;
    }

    /**
     * A line for each of several subjects.
     *
     * @param <T> of which there are few
     */
    public static final class OfEach<T> {
        private final Map<T, RepeatedLine> lines = new ConcurrentHashMap<>();

        /** @see RepeatedLine#due(long) */
        public int due(T subject, long nanos) {
            return lines.computeIfAbsent(subject, first -> new RepeatedLine()).due(nanos);
        }
    }
}

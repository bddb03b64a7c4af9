package dev.cdioutbox.internal.capture;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Limits the warnings about {@code fireAsync} to one per event class and minute. Thread-safe. */
final class AsyncReports {
    private static final long PERIOD = Duration.ofMinutes(1).toNanos();

    private final Map<Class<?>, Long> last = new ConcurrentHashMap<>();

    /**
     * Whether a warning is due. If so, this call counts it as logged.
     *
     * @param nanos a clock that only goes forward
     */
    boolean isDue(Class<?> eventClass, long nanos) {
        Long before = last.get(eventClass);
        return before == null
                ? last.putIfAbsent(eventClass, nanos) == null
                : nanos - before >= PERIOD && last.replace(eventClass, before, nanos);
    }
}

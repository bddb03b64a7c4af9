package dev.cdioutbox.internal.observe.log;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.cdioutbox.internal.code.RepeatedLine;

/**
 * The stack traces that the log has: each is written in full once an hour, since a receiver that refuses all would otherwise fill
 * the disk. Thread-safe.
 */
final class LoggedTraces {
    /** Of different traces. A generated class in a frame may make each of them new. */
    private static final int KEPT = 200;

    private final Map<String, RepeatedLine> lines = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RepeatedLine> eldest) {
            return size() > KEPT;
        }
    };

    synchronized boolean isDue(String trace, long nanos) {
        return lines.computeIfAbsent(trace, first -> new RepeatedLine(Duration.ofHours(1)))
                        .due(nanos)
                > 0;
    }
}

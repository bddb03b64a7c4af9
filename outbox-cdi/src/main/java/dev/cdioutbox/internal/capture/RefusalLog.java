package dev.cdioutbox.internal.capture;

import java.util.logging.Logger;

import dev.cdioutbox.internal.code.RepeatedLine;

/**
 * Logs refused events that no rollback shows, at most once a minute for each class. The caller of {@code fire()} gets
 * the exception too, but a container swallows it: in {@code @PreDestroy}, in a callback after the completion, and in
 * the stage of {@code fireAsync()}. Thread-safe.
 */
final class RefusalLog {
    private static final Logger LOG = Logger.getLogger(RefusalLog.class.getName());

    private final RepeatedLine.OfEach<Class<?>> lines = new RepeatedLine.OfEach<>();

    void report(Object event, RuntimeException refusal) {
        if (lines.due(event.getClass(), System.nanoTime()) > 0) {
            LOG.warning(refusal.getMessage());
        }
    }
}

package dev.cdioutbox.internal.capture;

import java.lang.annotation.Annotation;
import java.util.Set;

/** Receives all events that the application fires synchronously, its own ones included. Thread-safe. */
@FunctionalInterface
interface FiredEvents {
    /** Captures an outbox event, and ignores any other. What it throws reaches the caller of {@code fire()}. */
    void capture(Object event, Set<Annotation> qualifiers);

    /** The transaction of an outbox event is about to complete. */
    default void writeAfterFlush() {}
}

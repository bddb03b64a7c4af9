package dev.cdioutbox.internal.capture;

import java.lang.annotation.Annotation;
import java.util.Set;

/** Receives the events that the application fires. Thread-safe. */
interface FiredEvents {

    /** The application has fired an event, which may be an outbox event. */
    void capture(Object event, Set<Annotation> qualifiers);

    /** The transaction of an outbox event is about to complete. */
    default void handOver() {}
}

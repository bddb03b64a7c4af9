package dev.cdioutbox.internal.capture;

import java.lang.annotation.Annotation;
import java.util.Set;

/** Receives the events that the application fires. Thread-safe. */
interface FiredEvents {

    /** An event was fired, one of ours or of others. */
    void capture(Object event, Set<Annotation> qualifiers);

    /** The transaction of an event of ours is about to complete. */
    void handOver();
}

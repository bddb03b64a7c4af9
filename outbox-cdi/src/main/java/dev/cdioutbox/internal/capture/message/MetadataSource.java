package dev.cdioutbox.internal.capture.message;

import dev.cdioutbox.internal.capture.event.EventMetadata;

/** Something that knows where an event belongs, asked in {@code fire()}. */
@FunctionalInterface
public interface MetadataSource {
    void describe(Object event, EventMetadata metadata);
}

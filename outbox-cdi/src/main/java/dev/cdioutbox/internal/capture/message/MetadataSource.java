package dev.cdioutbox.internal.capture.message;

import dev.cdioutbox.internal.capture.event.EventMetadata;

/** Sets metadata of an event, in {@code fire()}. */
@FunctionalInterface
public interface MetadataSource {
    void describe(Object event, EventMetadata metadata);
}

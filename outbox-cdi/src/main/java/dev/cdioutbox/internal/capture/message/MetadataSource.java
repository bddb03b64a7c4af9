package dev.cdioutbox.internal.capture;

/** Something that knows where an event belongs, asked in {@code fire()}. */
@FunctionalInterface
interface MetadataSource {
    void describe(Object event, EventMetadata metadata);
}

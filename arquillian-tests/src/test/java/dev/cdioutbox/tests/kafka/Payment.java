package dev.cdioutbox.tests.kafka;

/** What the consumer of the pages makes of a {@link Parcel}. */
public record Payment(String id) {}

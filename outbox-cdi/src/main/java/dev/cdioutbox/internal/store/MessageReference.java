package dev.cdioutbox.internal.store;

/** A message as it is named in a log line. */
public record MessageReference(
        long sequence, String id, String eventType, String destination, String correlationId, int attempts) {}

package dev.cdioutbox.internal.store;

/** A message as a log line names it. */
public record MessageReference(
        long sequence, String id, String eventType, String destination, String correlationId, int attempts) {}

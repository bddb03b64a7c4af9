package dev.cdioutbox.internal.store;

/** The data of a message for a log line. */
public record MessageReference(
        long sequence, String id, String eventType, String destination, String correlationId, int attempts) {}

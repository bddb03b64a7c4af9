package dev.cdioutbox.internal.store;

/** The data of a changed message for a log line: its id, type, destination, correlation and attempts. */
public record MessageReference(
        long sequence, String id, String eventType, String destination, String correlationId, int attempts) {}

package dev.cdioutbox.internal.config;

/**
 * The capture of events.
 *
 * @param ownTransaction whether an event that is fired outside of a transaction gets its own; otherwise it is refused
 */
public record CaptureConfig(boolean ownTransaction, int maxPayloadBytes) {}

package dev.cdioutbox.internal.deadletter;

/**
 * Which dead letters of a queue are meant. Each criterion is null for any.
 *
 * @param message the id that the sender has given it, or the broker's
 */
public record DeadLetterFilter(String message, String type, String key) {}

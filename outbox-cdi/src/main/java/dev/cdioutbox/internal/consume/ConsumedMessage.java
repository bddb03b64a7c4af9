package dev.cdioutbox.internal.consume;

/**
 * A message that a consumer received.
 *
 * @param eventType null if the message has none
 * @param correlationId null if the message has none
 */
public record ConsumedMessage(String id, String eventType, String correlationId) {}

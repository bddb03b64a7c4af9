package dev.cdioutbox.internal.observe;

/**
 * A message as a consumer got it.
 *
 * @param eventType null if it does not say
 * @param correlationId null if it has none
 */
public record ConsumedMessage(String id, String eventType, String correlationId) {}

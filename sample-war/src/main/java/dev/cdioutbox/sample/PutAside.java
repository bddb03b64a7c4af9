package dev.cdioutbox.sample;

import jakarta.json.bind.annotation.JsonbPropertyOrder;

/** A message that the consumer could not handle. */
@JsonbPropertyOrder({"messageId", "orderId", "eventType", "schemaVersion", "payload"})
public record PutAside(String messageId, String orderId, String eventType, int schemaVersion, String payload) {}

package dev.cdioutbox.sample;

import jakarta.json.bind.annotation.JsonbPropertyOrder;

/** A message that the consumer could not handle, with the properties that it has. */
@JsonbPropertyOrder({"messageId", "orderId", "eventType", "schemaVersion", "payload"})
public record PutAside(String messageId, String orderId, String eventType, String schemaVersion, String payload) {}

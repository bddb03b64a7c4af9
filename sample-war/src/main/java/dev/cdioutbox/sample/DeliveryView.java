package dev.cdioutbox.sample;

import java.time.Instant;

import jakarta.json.bind.annotation.JsonbPropertyOrder;

/** A received message as clients see it. */
@JsonbPropertyOrder({"messageId", "orderId", "eventType", "sequence", "payload", "receivedAt"})
public record DeliveryView(
        String messageId, String orderId, String eventType, long sequence, String payload, Instant receivedAt) {

    static DeliveryView of(Shipment shipment) {
        return new DeliveryView(
                shipment.messageId(),
                shipment.orderId(),
                shipment.eventType(),
                shipment.sequence(),
                shipment.payload(),
                shipment.receivedAt());
    }
}

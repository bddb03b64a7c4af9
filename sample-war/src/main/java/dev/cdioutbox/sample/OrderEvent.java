package dev.cdioutbox.sample;

import java.time.Instant;

import jakarta.json.bind.annotation.JsonbPropertyOrder;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.persistence.OutboxMessageView;

/** Something that happened to an order, as its message in the outbox tells it. */
@JsonbPropertyOrder({"eventType", "occurredAt", "destination", "status"})
public record OrderEvent(String eventType, Instant occurredAt, String destination, OutboxStatus status) {

    static OrderEvent of(OutboxMessageView message) {
        return new OrderEvent(
                message.getEventType(),
                message.getOccurredAt().toInstant(),
                message.getDestination(),
                message.getStatus());
    }
}

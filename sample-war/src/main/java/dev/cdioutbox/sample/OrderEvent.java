package dev.cdioutbox.sample;

import java.time.Instant;

import jakarta.json.bind.annotation.JsonbPropertyOrder;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.persistence.OutboxMessageView;

/** An event of an order, with the state of its message in the outbox. */
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

package dev.cdioutbox.sample;

import java.time.Instant;
import java.util.UUID;

import jakarta.json.bind.annotation.JsonbPropertyOrder;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;

/** A message of the outbox as clients see it. */
@JsonbPropertyOrder({
    "id",
    "sequence",
    "eventType",
    "key",
    "destination",
    "status",
    "attempts",
    "lastError",
    "createdAt",
    "publishedAt"
})
public record MessageView(
        UUID id,
        long sequence,
        String eventType,
        String key,
        String destination,
        OutboxStatus status,
        int attempts,
        String lastError,
        Instant createdAt,
        Instant publishedAt) {

    static MessageView of(OutboxMessage message) {
        OutboxMessage.Delivery delivery = message.delivery();
        return new MessageView(
                message.id(),
                message.sequence(),
                message.event().type(),
                message.event().key(),
                delivery.destination(),
                delivery.status(),
                delivery.attempts(),
                delivery.lastError(),
                message.createdAt(),
                delivery.publishedAt());
    }
}

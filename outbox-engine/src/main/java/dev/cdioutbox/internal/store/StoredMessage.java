package dev.cdioutbox.internal.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxPage;

/** The values of a message in its row. Public, with its parts, as JSON-B needs it for the console. */
public record StoredMessage(
        long sequence,
        UUID id,
        OutboxMessage.Event event,
        OutboxMessage.Body body,
        OutboxMessage.Context context,
        OutboxMessage.Terms terms,
        OutboxMessage.Delivery delivery,
        Instant occurredAt,
        Instant createdAt)
        implements OutboxMessage {

    /** The aggregate's id if it is not the key, as it is stored and counted; else null. */
    public static String ownAggregateId(OutboxMessage.Event event) {
        return Objects.equals(event.aggregateId(), event.key()) ? null : event.aggregateId();
    }

    public record Event(String type, int version, String aggregateType, String key, String aggregateId)
            implements OutboxMessage.Event {

        /** Of an aggregate whose id is the key. */
        public Event(String type, int version, String aggregateType, String key) {
            this(type, version, aggregateType, key, null);
        }

        /** @param aggregateId null if it is the key */
        public Event {
            aggregateId = aggregateId == null ? key : aggregateId;
        }
    }

    /** @param bytes the size that was captured, which an erased payload does not have any more, and a damaged one never had */
    public record Body(String contentType, OutboxPayload payload, int bytes) implements OutboxMessage.Body {

        /** As it is captured. */
        public Body(String contentType, OutboxPayload payload) {
            this(contentType, payload, payload.size());
        }
    }

    public record Context(
            String correlationId,
            String causationId,
            String tenantId,
            Map<String, String> headers,
            boolean external,
            Long originSequence,
            UUID originId)
            implements OutboxMessage.Context {
        public static final Context NONE = new Context(null, null, null, Map.of());

        /** For an internal destination. */
        public Context(String correlationId, String causationId, String tenantId, Map<String, String> headers) {
            this(correlationId, causationId, tenantId, headers, false);
        }

        /** Of an original. */
        public Context(
                String correlationId,
                String causationId,
                String tenantId,
                Map<String, String> headers,
                boolean external) {
            this(correlationId, causationId, tenantId, headers, external, null, null);
        }

        /** Keeps an unmodifiable copy of the headers. */
        public Context {
            headers = Map.copyOf(headers);
        }
    }

    public record Terms(Instant notBefore, Instant expiresAt, Duration timeLeft, Integer priority)
            implements OutboxMessage.Terms {
        /** At once, for ever, with the default priority. */
        public static final Terms NONE = new Terms(null, null, null, null);
    }

    public record Delivery(
            String destination,
            OutboxStatus status,
            int attempts,
            Instant lastAttemptAt,
            String lastError,
            Instant publishedAt,
            String brokerMessageId,
            String shadowDestination)
            implements OutboxMessage.Delivery {}

    /** What can still be read of a row that is no message. */
    public record Unreadable(
            long sequence, String id, String status, String type, String key, String destination, String problem)
            implements OutboxPage.Unreadable {}
}

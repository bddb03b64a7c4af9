package dev.cdioutbox;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * A message as it is stored: one event for one destination. Immutable and safe to share between threads.
 *
 * @param sequence the row's {@code seq}: ascending in commit order for one key, with gaps
 * @param id the same on every re-send, a UUID of version 7; not null
 * @param event what happened; not null
 * @param body the serialized event; not null
 * @param context where it belongs; not null
 * @param delivery how far it got; not null
 * @param occurredAt when the event was fired, by the clock of the JVM that fired it (information only); not null
 * @param createdAt when the row was written, by the database's clock; not null
 */
public record OutboxMessage(
        long sequence,
        UUID id,
        Event event,
        Body body,
        Context context,
        Delivery delivery,
        Instant occurredAt,
        Instant createdAt) {

    /** Refuses nulls. */
    public OutboxMessage {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(body, "body");
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(delivery, "delivery");
        Objects.requireNonNull(occurredAt, "occurredAt");
        Objects.requireNonNull(createdAt, "createdAt");
    }

    /**
     * What happened.
     *
     * @param type the stable name of the event type; not null
     * @param version the version of the payload's shape
     * @param aggregateType the kind of thing it happened to, or null
     * @param key the id of the thing it happened to, which is also the ordering key; null if unordered
     */
    public record Event(String type, int version, String aggregateType, String key) {

        /** Refuses a null type. */
        public Event {
            Objects.requireNonNull(type, "type");
        }
    }

    /**
     * The serialized event.
     *
     * @param contentType the media type, for example {@code application/json}; not null
     * @param text the payload; not null
     * @param bytes the length of the payload in UTF-8
     */
    public record Body(String contentType, String text, int bytes) {

        /** Refuses nulls. */
        public Body {
            Objects.requireNonNull(contentType, "contentType");
            Objects.requireNonNull(text, "text");
        }
    }

    /**
     * Where the event belongs.
     *
     * @param correlationId ties together all that one request caused, or null
     * @param causationId the id of the message that caused this one, or null
     * @param tenantId the tenant, or null
     * @param headers what else travels with the message; not null, unmodifiable
     */
    public record Context(String correlationId, String causationId, String tenantId, Map<String, String> headers) {

        /** No context at all. */
        public static final Context NONE = new Context(null, null, null, Map.of());

        /** Keeps an unmodifiable copy of the headers. */
        public Context {
            headers = Map.copyOf(headers);
        }
    }

    /**
     * How far the message got.
     *
     * @param destination the logical name of the destination; not null
     * @param status where it stands; not null
     * @param attempts how often it was tried: charged failures, and the success
     * @param lastAttemptAt when it was last tried, by the database's clock; null if never
     * @param lastError why the last charged attempt failed, cut to fit; null if none did, or after success
     * @param publishedAt when it was settled, by the database's clock; null if it was not published
     */
    public record Delivery(
            String destination,
            OutboxStatus status,
            int attempts,
            Instant lastAttemptAt,
            String lastError,
            Instant publishedAt) {

        /** Refuses nulls. */
        public Delivery {
            Objects.requireNonNull(destination, "destination");
            Objects.requireNonNull(status, "status");
        }
    }
}

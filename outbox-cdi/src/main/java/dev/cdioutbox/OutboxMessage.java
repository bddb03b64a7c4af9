package dev.cdioutbox;

import java.time.Duration;
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
 * @param terms when it may be sent and for how long, and how urgent it is; not null
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
        Terms terms,
        Delivery delivery,
        Instant occurredAt,
        Instant createdAt) {

    /** Refuses nulls. */
    public OutboxMessage {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(body, "body");
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(terms, "terms");
        Objects.requireNonNull(delivery, "delivery");
        Objects.requireNonNull(occurredAt, "occurredAt");
        Objects.requireNonNull(createdAt, "createdAt");
    }

    /**
     * What this message is ordered by: messages with the same one reach their destination in commit order.
     *
     * @return the key; null if the event has none, or if the message is delayed and has left its key's order
     */
    public String orderingKey() {
        return terms.notBefore() == null ? event.key() : null;
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

        /**
         * A header by which the row says that the message was stripped for an external destination. It is the outbox's own:
         * a publisher leaves it out.
         */
        public static final String EXTERNAL = "outbox.external";

        /** No context at all. */
        public static final Context NONE = new Context(null, null, null, Map.of());

        /** Keeps an unmodifiable copy of the headers. */
        public Context {
            headers = Map.copyOf(headers);
        }
    }

    /**
     * What its sender asked of the delivery.
     *
     * @param notBefore it is sent at this moment at the earliest, by the database's clock; null for at once
     * @param expiresAt from then on it is not sent any more, by the database's clock; null for never
     * @param timeLeft how long it still had until {@code expiresAt} when it was read, by the database's clock; zero or
     *     negative if that is over; null if it never expires
     * @param priority the broker's priority, 0 (lowest) to 9; null for the broker's default
     */
    public record Terms(Instant notBefore, Instant expiresAt, Duration timeLeft, Integer priority) {

        /** At once, for ever, with the default priority. */
        public static final Terms NONE = new Terms(null, null, null, null);

        /**
         * Tells whether it is too late to send the message.
         *
         * @return true if its time was over when it was read
         */
        public boolean isExpired() {
            return timeLeft != null && (timeLeft.isZero() || timeLeft.isNegative());
        }
    }

    /**
     * How far the message got.
     *
     * @param destination the logical name of the destination; not null
     * @param status where it stands; not null
     * @param attempts how often it was tried: charged failures, and the success
     * @param lastAttemptAt when it was last tried, discarded or settled as expired, by the database's clock; null if never
     * @param lastError why the last charged attempt failed, cut to fit; null if none did, or after success
     * @param publishedAt when it was published, by the database's clock; null if it was not
     * @param brokerMessageId the id that the broker gave it, with {@code outbox.jms.record-message-id}; else null
     * @param shadowDestination where it went instead, if {@code outbox.dispatcher.shadow-destination} was set then, or
     *     {@code discard} for nowhere; null if it was really published, or not at all
     */
    public record Delivery(
            String destination,
            OutboxStatus status,
            int attempts,
            Instant lastAttemptAt,
            String lastError,
            Instant publishedAt,
            String brokerMessageId,
            String shadowDestination) {

        /** Refuses nulls. */
        public Delivery {
            Objects.requireNonNull(destination, "destination");
            Objects.requireNonNull(status, "status");
        }
    }
}

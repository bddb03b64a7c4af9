package dev.cdioutbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * A message as the outbox stores it: one event for one destination. Immutable and safe to share between threads.
 *
 * @param sequence the row's {@code seq}: for one key it ascends in commit order, with gaps
 * @param id the message's id, a UUID of version 7, the same on every re-send; not null
 * @param event the type and key of the event; not null
 * @param body the serialized event; not null
 * @param context correlation id, causation id, tenant and headers; not null
 * @param terms delay, time to live and priority; not null
 * @param delivery the progress of the delivery; not null
 * @param occurredAt the time of {@code fire()}, by the clock of that JVM (information only); not null
 * @param createdAt the time of the insert, by the database's clock; not null
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

    /**
     * The key that orders this message: messages with the same ordering key reach their destination in commit order.
     *
     * @return the key; null if the event has none, or if the message has a delay, since a delayed message leaves its
     *     key's order
     */
    public String orderingKey() {
        return terms.notBefore() == null ? event.key() : null;
    }

    /**
     * The type and key of an event.
     *
     * @param type the stable name of the event type; not null
     * @param version the version of the payload's shape
     * @param aggregateType the kind of thing the event is about, or null
     * @param key the id of the thing the event is about, which is also the ordering key; null if unordered
     */
    public record Event(String type, int version, String aggregateType, String key) {}

    /**
     * The serialized event.
     *
     * @param contentType the media type, for example {@code application/json}; not null
     * @param text the payload; not null
     * @param bytes the length of the payload in UTF-8
     */
    public record Body(String contentType, String text, int bytes) {}

    /**
     * The context of an event.
     *
     * @param correlationId the id that all messages caused by one request share, or null
     * @param causationId the id of the message that caused this one, or null
     * @param tenantId the tenant, or null
     * @param headers further headers of the message; not null, unmodifiable
     */
    public record Context(String correlationId, String causationId, String tenantId, Map<String, String> headers) {

        /**
         * A header that marks a message stripped for an external destination. The header is internal: a publisher does
         * not send it.
         */
        public static final String EXTERNAL = "outbox.external";

        /** An empty context. */
        public static final Context NONE = new Context(null, null, null, Map.of());

        /** Keeps an unmodifiable copy of the headers. */
        public Context {
            headers = Map.copyOf(headers);
        }
    }

    /**
     * The terms that the application set for the delivery.
     *
     * @param notBefore the earliest time of the send, by the database's clock; null for at once
     * @param expiresAt the end of the time to live, by the database's clock; from then on the outbox does not send the
     *     message; null for never
     * @param timeLeft the time until {@code expiresAt} at the read, by the database's clock; zero or negative for an
     *     expired message; null without an expiry
     * @param priority the broker's priority, 0 (lowest) to 9; null for the broker's default
     */
    public record Terms(Instant notBefore, Instant expiresAt, Duration timeLeft, Integer priority) {

        /** At once, for ever, with the default priority. */
        public static final Terms NONE = new Terms(null, null, null, null);

        /**
         * Whether the message had expired when the outbox read it.
         *
         * @return true if it must not be sent any more
         */
        public boolean isExpired() {
            return timeLeft != null && (timeLeft.isZero() || timeLeft.isNegative());
        }
    }

    /**
     * The progress of a delivery.
     *
     * @param destination the logical name of the destination; not null
     * @param status the status; not null
     * @param attempts the number of attempts: charged failures, and the success
     * @param lastAttemptAt the time of the last attempt, discard or settlement as expired, by the database's clock;
     *     null if none
     * @param lastError the reason why the last charged attempt failed, cut to the column's length; null if none failed,
     *     or after success
     * @param publishedAt the time of publishing, by the database's clock; null if not published
     * @param brokerMessageId the broker's id of the message, with {@code outbox.jms.record-message-id}; else null
     * @param shadowDestination the destination that got the message instead while
     *     {@code outbox.dispatcher.shadow-destination} was set, or {@code discard} for none; null otherwise
     */
    public record Delivery(
            String destination,
            OutboxStatus status,
            int attempts,
            Instant lastAttemptAt,
            String lastError,
            Instant publishedAt,
            String brokerMessageId,
            String shadowDestination) {}
}

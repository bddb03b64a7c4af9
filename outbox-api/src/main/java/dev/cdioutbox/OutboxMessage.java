package dev.cdioutbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A message as the outbox stores it: one event for one destination. Immutable and safe to share between threads.
 *
 * <p>The outbox implements this interface and its parts. Later versions may add methods, so an application should implement
 * them in its tests only.
 */
public interface OutboxMessage {

    /** {@return the row's {@code seq}: for one key it ascends in commit order, with gaps} */
    long sequence();

    /** {@return the message's id, a UUID of version 7, the same on every re-send; not null} */
    UUID id();

    /** {@return the type, key and aggregate of the event; not null} */
    Event event();

    /** {@return the serialized event; not null} */
    Body body();

    /** {@return correlation id, causation id, tenant and headers; not null} */
    Context context();

    /** {@return delay, time to live and priority; not null} */
    Terms terms();

    /** {@return the progress of the delivery; not null} */
    Delivery delivery();

    /** {@return the time of {@code fire()}, by the clock of that JVM (information only); not null} */
    Instant occurredAt();

    /** {@return the time of the insert, by the database's clock; not null} */
    Instant createdAt();

    /**
     * The key that orders this message: messages with the same ordering key reach their destination in commit order.
     *
     * @return the key; null if the event has none, or if the message has a delay, since a delayed message leaves its
     *     key's order
     */
    default @Nullable String orderingKey() {
        return terms().notBefore() == null ? event().key() : null;
    }

    /** The type, key and aggregate of an event. */
    interface Event {

        /** {@return the stable name of the event type; not null} */
        String type();

        /** {@return the version of the payload's shape} */
        int version();

        /** {@return the kind of thing the event is about, or null} */
        @Nullable
        String aggregateType();

        /** {@return the ordering key; null if unordered} */
        @Nullable
        String key();

        /** {@return the id of the thing the event is about, which is the key unless the application has set another; or null} */
        @Nullable
        String aggregateId();
    }

    /** The serialized event. */
    interface Body {

        /** {@return the media type, for example {@code application/json}; not null} */
        String contentType();

        /** {@return the text or the bytes of the event; not null} */
        OutboxPayload payload();

        /** {@return the size of the payload in bytes, of a text in UTF-8; also that of an erased one} */
        int bytes();

        /**
         * The payload as text.
         *
         * @return empty if {@code outbox.retention.payload} has erased it; never null
         * @throws IllegalStateException if the payload is binary
         */
        default String text() {
            return payload().text();
        }
    }

    /** The context of an event. */
    interface Context {

        /** {@return the id that all messages caused by one request share, or null} */
        @Nullable
        String correlationId();

        /** {@return the id of the message that caused this one, or null} */
        @Nullable
        String causationId();

        /** {@return the tenant, or null} */
        @Nullable
        String tenantId();

        /** {@return further headers of the message; not null, unmodifiable} */
        Map<String, String> headers();

        /**
         * {@return whether the message was stored for an external destination: the ids above are null, except in a copy
         * of another message, and the headers are those for external destinations}
         */
        boolean external();

        /**
         * The sequence of the message that {@link dev.cdioutbox.operate.OutboxOperations#backfill} has copied. Consumers
         * get it in the place of the copy's own one, so that they see the copy before what was fired later.
         *
         * @return the sequence of the original; null if this is not such a copy
         */
        @Nullable
        Long originSequence();

        /**
         * {@return the id of the message that was {@linkplain dev.cdioutbox.operate.OutboxOperations#replayAsNew sent as
         * new} in this copy, or in the copy of which this is one; null if this is not such a copy}
         */
        @Nullable
        UUID originId();
    }

    /** The terms that the application set for the delivery. */
    interface Terms {

        /** {@return the earliest time of the send, by the database's clock; null for at once} */
        @Nullable
        Instant notBefore();

        /**
         * {@return the end of the time to live, by the database's clock; from then on the outbox does not send the
         * message; null for never}
         */
        @Nullable
        Instant expiresAt();

        /**
         * {@return the time until {@code expiresAt} at the read, by the database's clock; zero or negative for an
         * expired message; null without an expiry}
         */
        @Nullable
        Duration timeLeft();

        /** {@return the broker's priority, 0 (lowest) to 9; null for the broker's default} */
        @Nullable
        Integer priority();

        /** {@return whether the message had expired when the outbox read it, so that it must not be sent any more} */
        default boolean isExpired() {
            return timeLeft() != null && (timeLeft().isZero() || timeLeft().isNegative());
        }
    }

    /** The progress of a delivery. */
    interface Delivery {

        /** {@return the logical name of the destination; not null} */
        String destination();

        /** {@return the status; not null} */
        OutboxStatus status();

        /** {@return the number of attempts: charged failures, and the success} */
        int attempts();

        /**
         * {@return the time of the last attempt, discard or settlement as expired, by the database's clock; null if
         * none}
         */
        @Nullable
        Instant lastAttemptAt();

        /**
         * {@return the reason why the last charged attempt failed, cut to the column's length; null if none failed, or
         * after success}
         */
        @Nullable
        String lastError();

        /** {@return the time of publishing, by the database's clock; null if not published} */
        @Nullable
        Instant publishedAt();

        /** {@return the broker's id of the message, with JMS only if {@code outbox.jms.record-message-id} is true; or null} */
        @Nullable
        String brokerMessageId();

        /**
         * {@return the destination that got the message instead while {@code outbox.dispatcher.shadow-destination} was
         * set, or {@code discard} for none; null otherwise}
         */
        @Nullable
        String shadowDestination();
    }
}

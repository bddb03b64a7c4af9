package dev.cdioutbox.internal.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxMessage.Body;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.OutboxMessage.Event;

/** A captured event for one destination, before the insert. */
public record NewMessage(
        UUID id, Event event, Body body, Context context, Terms terms, String destination, Instant occurredAt) {

    /** In bytes: of the objects and the ids, without the payload and the headers. */
    private static final int MEMORY = 500;

    /**
     * A message that is sent like another one: at once, for ever, and with the other one as its cause. Consumers know an
     * original without a correlation id by its own id.
     */
    public static NewMessage copyOf(OutboxMessage original, UUID id, String destination, Map<String, String> headers) {
        OutboxMessage.Context context = original.context();
        return new NewMessage(
                id,
                original.event(),
                original.body(),
                new StoredMessage.Context(
                        Objects.requireNonNullElse(
                                context.correlationId(), original.id().toString()),
                        original.id().toString(),
                        context.tenantId(),
                        headers,
                        context.external(),
                        null,
                        // A dead letter, which has another destination, is an event for that one.
                        destination.equals(original.delivery().destination()) ? firstOrigin(original) : null),
                new Terms(null, null, original.terms().priority()),
                destination,
                original.occurredAt());
    }

    private static UUID firstOrigin(OutboxMessage message) {
        return Objects.requireNonNullElse(message.context().originId(), message.id());
    }

    /**
     * The message that the destination would have got in the place of the original's, with the id that it would have had.
     * What was replayed as new is the same event, and has the same id.
     *
     * @param external whether it may have only what an external destination may see
     */
    public static NewMessage backfill(OutboxMessage original, String destination, boolean external) {
        OutboxMessage.Context context = original.context();
        OutboxMessage.Terms terms = original.terms();
        boolean hides = external && !context.external();
        Duration timeToLive = terms.expiresAt() == null || terms.notBefore() == null
                ? terms.timeLeft()
                : Duration.between(terms.notBefore(), terms.expiresAt());
        return new NewMessage(
                UuidV7.within(
                        UuidV7.within(firstOrigin(original), original.delivery().destination()), destination),
                original.event(),
                original.body(),
                new StoredMessage.Context(
                        hides ? null : context.correlationId(),
                        hides ? null : context.causationId(),
                        hides ? null : context.tenantId(),
                        hides ? Map.of() : context.headers(),
                        external,
                        original.sequence(),
                        null),
                new Terms(terms.notBefore(), timeToLive, terms.priority()),
                destination,
                original.occurredAt());
    }

    /** A message that is inserted once more, behind the copies of a backfill, with its id and the sequence that it had. */
    public static NewMessage moved(OutboxMessage message) {
        OutboxMessage.Context context = message.context();
        return new NewMessage(
                message.id(),
                message.event(),
                message.body(),
                new StoredMessage.Context(
                        context.correlationId(),
                        context.causationId(),
                        context.tenantId(),
                        context.headers(),
                        context.external(),
                        message.sequence(),
                        context.originId()),
                new Terms(null, message.terms().timeLeft(), message.terms().priority()),
                message.delivery().destination(),
                message.occurredAt());
    }

    /**
     * An estimate of the memory that the message needs until its commit, in bytes. It does not count what the driver
     * needs for the insert, which is some two times as much.
     */
    public long memory() {
        long bytes = MEMORY + body.bytes();
        for (Map.Entry<String, String> header : context.headers().entrySet()) {
            bytes += header.getKey().length() + header.getValue().length();
        }
        return bytes;
    }

    /** Whether the message has a place in the order of its key: it has a key and is not delayed. */
    public boolean isOrdered() {
        return event.key() != null && terms.notBefore() == null;
    }

    /**
     * The delivery options of the sender.
     *
     * @param notBefore null for at once
     * @param timeToLive the time from the insert, or from {@code notBefore} if set; null for ever
     * @param priority 0 to 9, or null for the broker's default
     */
    public record Terms(Instant notBefore, Duration timeToLive, Integer priority) {
        public static final Terms NONE = new Terms(null, null, null);
    }
}

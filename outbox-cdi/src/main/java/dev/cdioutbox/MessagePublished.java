package dev.cdioutbox;

import java.time.Instant;
import java.util.Objects;
import java.util.UUID;

/**
 * A CDI event: a message was sent and settled. Observe it with {@code void sent(@Observes MessagePublished sent)}.
 *
 * <p>The dispatcher fires this event after its commit, on a thread of its own and without a transaction. An observer cannot
 * delay or fail dispatch; an exception is logged (OBX-0427). The event is information, not a guarantee: events that wait are
 * lost when the application stops, and when more than 10,000 of them wait (OBX-0428). The node that sent the message fires it.
 * Do not fire an outbox event for each of these: that one is published, too, without an end. Immutable.
 *
 * @param id the message's id; not null
 * @param sequence the row's {@code seq}
 * @param destination the name of the destination, as in logs and metrics; not null
 * @param event what happened; not null
 * @param context where it belongs; not null
 * @param createdAt when the row was written, by the database's clock; not null
 * @param publishedAt when it was settled, by the database's clock; not null
 */
public record MessagePublished(
        UUID id,
        long sequence,
        String destination,
        OutboxMessage.Event event,
        OutboxMessage.Context context,
        Instant createdAt,
        Instant publishedAt) {

    /** Refuses nulls. */
    public MessagePublished {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(destination, "destination");
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(createdAt, "createdAt");
        Objects.requireNonNull(publishedAt, "publishedAt");
    }
}

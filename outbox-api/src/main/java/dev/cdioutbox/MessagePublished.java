package dev.cdioutbox;

import java.time.Instant;
import java.util.UUID;

/**
 * A CDI event: the dispatcher has sent and settled a message.
 *
 * <pre>{@code
 * void sent(@Observes MessagePublished sent) {
 *     show(sent.event().type(), Duration.between(sent.createdAt(), sent.publishedAt()));
 * }
 * }</pre>
 *
 * <p>The dispatcher fires this event after its commit, on the node that sent the message, on a separate thread without
 * a transaction or an identity. An observer cannot delay or fail dispatch: the outbox logs its exception (OBX-0427). The event is
 * information, not a guarantee. Queued events are lost when the application stops, and further ones when 10,000 are
 * queued (OBX-0428). Do not fire an outbox event from an observer of this event: the dispatcher would publish that one
 * too, in an endless loop. Immutable.
 */
public interface MessagePublished {

    /** {@return the message's id; not null} */
    UUID id();

    /** {@return the row's {@code seq}} */
    long sequence();

    /** {@return the name of the destination, as in logs and metrics; not null} */
    String destination();

    /** {@return the type and key of the event; not null} */
    OutboxMessage.Event event();

    /** {@return correlation id, causation id, tenant and headers; not null} */
    OutboxMessage.Context context();

    /** {@return the time of the insert, by the database's clock; not null} */
    Instant createdAt();

    /** {@return the time of the settlement, by the database's clock; not null} */
    Instant publishedAt();
}

package dev.cdioutbox;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A CDI event: the outbox has given a message up and will not send it, or call its handler, unless an operator retries it. The
 * outbox fires this event on the same terms as {@link MessagePublished}. It also fires the event for a received message that came
 * too late to be handled in the order of its key (OBX-0472), on the node that received it. Messages that expire or are discarded
 * have no such event. Immutable.
 *
 * <pre>{@code
 * void abandoned(@Observes MessageAbandoned abandoned) {
 *     mail.send("operators", abandoned.destination() + ": " + abandoned.error());
 * }
 * }</pre>
 */
public interface MessageAbandoned {

    /** {@return the message's id; null if the outbox cannot read the row} */
    @Nullable
    UUID id();

    /** {@return the row's {@code seq}} */
    long sequence();

    /** {@return the name of the destination, as in logs and metrics; not null} */
    String destination();

    /** {@return the type and key of the event; null if the outbox cannot read the row} */
    OutboxMessage.@Nullable Event event();

    /** {@return correlation id, causation id, tenant and headers; null if the outbox cannot read the row} */
    OutboxMessage.@Nullable Context context();

    /** {@return the number of charged attempts; 0 if the outbox cannot read the row, or if the message came too late} */
    int attempts();

    /** {@return the reason; not null} */
    String error();
}

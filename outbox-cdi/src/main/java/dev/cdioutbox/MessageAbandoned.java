package dev.cdioutbox;

import java.util.UUID;

/**
 * A CDI event: the outbox has given a message up and will not send it unless an operator retries it. The dispatcher
 * fires this event on the same terms as {@link MessagePublished}. Immutable.
 *
 * @param id the message's id; null if the outbox cannot read the row
 * @param sequence the row's {@code seq}, by which {@link dev.cdioutbox.operate.OutboxFilter#withSequence} finds it
 * @param destination the name of the destination, as in logs and metrics; not null
 * @param event the type and key of the event; null if the outbox cannot read the row
 * @param context correlation id, causation id, tenant and headers; null if the outbox cannot read the row
 * @param attempts the number of charged attempts; 0 if the outbox cannot read the row
 * @param error the reason; not null
 */
public record MessageAbandoned(
        UUID id,
        long sequence,
        String destination,
        OutboxMessage.Event event,
        OutboxMessage.Context context,
        int attempts,
        String error) {}

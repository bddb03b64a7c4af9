package dev.cdioutbox;

import java.util.Objects;
import java.util.UUID;

/**
 * A CDI event: the outbox will not send a message any more, until an operator decides. It is fired as
 * {@link MessagePublished} is. Immutable.
 *
 * @param id the message's id; null if the row cannot be read
 * @param sequence the row's {@code seq}, by which {@link OutboxFilter#withSequence} finds it
 * @param destination the name of the destination, as in logs and metrics; not null
 * @param event what happened; null if the row cannot be read
 * @param context where it belongs; null if the row cannot be read
 * @param attempts how often it was tried; 0 if the row cannot be read
 * @param error why; not null
 */
public record MessageAbandoned(
        UUID id,
        long sequence,
        String destination,
        OutboxMessage.Event event,
        OutboxMessage.Context context,
        int attempts,
        String error) {

    /** Refuses a null destination and a null error. */
    public MessageAbandoned {
        Objects.requireNonNull(destination, "destination");
        Objects.requireNonNull(error, "error");
    }
}

package dev.cdioutbox.internal.store;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import dev.cdioutbox.OutboxMessage.Body;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.OutboxMessage.Event;

/** A captured event for one destination, before the insert. */
public record NewMessage(
        UUID id, Event event, Body body, Context context, Terms terms, String destination, Instant occurredAt) {

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

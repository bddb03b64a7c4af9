package dev.cdioutbox.internal.consume;

import java.time.Instant;

/**
 * A message as a transport has received it.
 *
 * @param message its id is never null
 * @param place null if the message has no place in an order, or its consumer does not ask for one
 * @param redelivered whether the broker has delivered the message before
 */
public record Received(ConsumedMessage message, Place place, boolean redelivered) {

    /**
     * The place of a message among those of its key.
     *
     * @param storedAt when the message was stored, by the clock of its database; null if unknown
     */
    public record Place(String key, long sequence, Instant storedAt) {}
}

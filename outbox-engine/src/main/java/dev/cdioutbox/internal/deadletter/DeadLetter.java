package dev.cdioutbox.internal.deadletter;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A message that its consumer could not handle, in the queue into which the broker has put it. Public, as JSON-B needs it.
 *
 * @param id the broker's id, by which the letter is taken off the queue; null if its sender did without one
 * @param messageId the id that the sender has given it; null if it has none
 * @param origin the queue from which it came; null if that is unknown
 * @param sentAt when it was sent to that queue, by the sender's clock
 * @param failedAt when it was put aside; null if the broker does not say it
 * @param reason what the broker says; null if it says nothing
 * @param text the payload; null in a list, and if it is no text
 */
public record DeadLetter(
        @Nullable String id,
        @Nullable String messageId,
        String queue,
        @Nullable String origin,
        @Nullable String type,
        @Nullable String key,
        Instant sentAt,
        @Nullable Instant failedAt,
        @Nullable String reason,
        @Nullable String text,
        Map<String, String> properties) {

    /** The same letter with another payload. */
    public DeadLetter withText(@Nullable String other) {
        return new DeadLetter(id, messageId, queue, origin, type, key, sentAt, failedAt, reason, other, properties);
    }
}

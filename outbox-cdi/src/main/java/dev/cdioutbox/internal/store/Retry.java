package dev.cdioutbox.internal.store;

import java.time.Duration;

import dev.cdioutbox.OutboxStatus;

/**
 * The settlement of a message that was not sent.
 *
 * @param sequence the row
 * @param status {@link OutboxStatus#FAILED} or {@link OutboxStatus#ABANDONED}
 * @param attempts all charged attempts
 * @param delay until it is due; null for never
 * @param error the reason of the failure
 * @param blocksKey whether an abandoned message blocks its key, so that its followers wait
 * @param charged whether this attempt is charged
 */
public record Retry(
        long sequence,
        OutboxStatus status,
        int attempts,
        Duration delay,
        String error,
        boolean blocksKey,
        boolean charged) {

    /** With a charge for this attempt. */
    public Retry(long sequence, OutboxStatus status, int attempts, Duration delay, String error, boolean holdsKey) {
        this(sequence, status, attempts, delay, error, holdsKey, true);
    }

    /** Whether it applies to a row with so many charged attempts. */
    boolean appliesTo(int attempts) {
        return charged ? attempts >= attemptsBefore() : attempts == attemptsBefore();
    }

    /** The charged attempts at the claim. */
    int attemptsBefore() {
        return charged ? attempts - 1 : attempts;
    }
}

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
 */
public record Retry(long sequence, OutboxStatus status, int attempts, Duration delay, String error, boolean blocksKey) {

    /** Whether it applies to a row with so many charged attempts. */
    public boolean appliesTo(int attempts) {
        return attempts >= attemptsBefore();
    }

    /** The charged attempts at the claim. */
    public int attemptsBefore() {
        return attempts - 1;
    }
}

package dev.cdioutbox.internal.store;

import java.time.Duration;

import dev.cdioutbox.OutboxStatus;

/**
 * What becomes of a message that was not sent.
 *
 * @param sequence the row
 * @param status {@link OutboxStatus#FAILED} or {@link OutboxStatus#ABANDONED}
 * @param attempts all attempts charged so far
 * @param delay when it is due again; null if never
 * @param error why it failed
 * @param holdsKey whether an abandoned message keeps its place, so that its followers wait
 * @param charged whether this attempt is one of them
 */
public record Retry(
        long sequence,
        OutboxStatus status,
        int attempts,
        Duration delay,
        String error,
        boolean blocksKey,
        boolean charged) {

    /** It is charged this attempt. */
    public Retry(long sequence, OutboxStatus status, int attempts, Duration delay, String error, boolean holdsKey) {
        this(sequence, status, attempts, delay, error, holdsKey, true);
    }

    /** Whether it can be written over a message that was charged so often. */
    boolean appliesTo(int attempts) {
        return charged ? attempts >= attemptsBefore() : attempts == attemptsBefore();
    }

    /** How many had been charged when it was claimed. */
    int attemptsBefore() {
        return charged ? attempts - 1 : attempts;
    }
}

package dev.cdioutbox.internal.store.settle;

import java.time.Duration;

import dev.cdioutbox.OutboxStatus;

/**
 * The settlement of a failed message: its next attempt or its abandonment. Ignored if an operator has changed the
 * message meanwhile.
 *
 * @param sequence the sequence of the row
 * @param status {@link OutboxStatus#FAILED} or {@link OutboxStatus#ABANDONED}
 * @param attempts the number of charged attempts, including this one unless it is held
 * @param delay the time until the retry; null for never
 * @param error the reason of the failure
 * @param blocksKey whether an abandoned message blocks its key, so that later messages wait
 * @param isHeld whether this attempt is not charged: it was the last one, and the destination may be at fault
 */
public record Retry(
        long sequence,
        OutboxStatus status,
        int attempts,
        Duration delay,
        String error,
        boolean blocksKey,
        boolean isHeld) {

    /** The settlement of a message that is charged. */
    public Retry(long sequence, OutboxStatus status, int attempts, Duration delay, String error, boolean blocksKey) {
        this(sequence, status, attempts, delay, error, blocksKey, false);
    }

    /** The same settlement, with another time until the retry. */
    public Retry withDelay(Duration otherDelay) {
        return new Retry(sequence, status, attempts, otherDelay, error, blocksKey, isHeld);
    }

    /** Whether this settlement applies to a row with this number of charged attempts: nobody has changed it since the claim. */
    public boolean appliesTo(int attempts) {
        return attempts == attemptsBefore();
    }

    /** The charged attempts at the claim. */
    public int attemptsBefore() {
        return isHeld ? attempts : attempts - 1;
    }
}

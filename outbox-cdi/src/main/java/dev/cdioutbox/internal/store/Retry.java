package dev.cdioutbox.internal.store;

import java.time.Duration;

import dev.cdioutbox.OutboxStatus;

/**
 * What becomes of a message that was charged an attempt.
 *
 * @param sequence the row
 * @param status {@link OutboxStatus#FAILED} or {@link OutboxStatus#ABANDONED}
 * @param attempts all attempts charged so far, this one included
 * @param delay when it is due again; null if never
 * @param error why it failed
 * @param holdsKey whether an abandoned message keeps its place, so that its followers wait
 */
public record Retry(long sequence, OutboxStatus status, int attempts, Duration delay, String error, boolean holdsKey) {}

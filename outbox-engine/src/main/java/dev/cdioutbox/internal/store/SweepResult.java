package dev.cdioutbox.internal.store;

/**
 * The result of one transaction of a sweep.
 *
 * @param removed the number of deleted or archived messages
 * @param last the last sequence that the sweep read
 * @param isEnd whether no later message can be removed yet
 */
public record SweepResult(int removed, long last, boolean isEnd) {}

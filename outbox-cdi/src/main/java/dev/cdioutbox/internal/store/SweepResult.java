package dev.cdioutbox.internal.store;

/**
 * The result of one transaction of a sweep.
 *
 * @param removed the number of messages that were deleted or archived
 * @param kept the lowest sequence that was read and kept; 0 if there is none
 * @param last the last sequence that was read
 * @param isEnd whether no message behind it can be removed yet
 */
public record SweepResult(int removed, long kept, long last, boolean isEnd) {}

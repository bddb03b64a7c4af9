package dev.cdioutbox.internal.store;

/**
 * What one batch of a sweep came to.
 *
 * @param removed how many messages it deleted or archived
 * @param kept the first sequence of those that it came by and that stay; 0 if none does
 * @param last the sequence it came to, from which the next one goes on
 * @param isEnd whether nothing that lies behind can be removed yet
 */
public record SweepResult(int removed, long kept, long last, boolean isEnd) {}

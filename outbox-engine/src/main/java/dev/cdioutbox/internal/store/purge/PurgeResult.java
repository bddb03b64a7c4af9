package dev.cdioutbox.internal.store.purge;

/**
 * The result of one transaction of a purge.
 *
 * @param removed the number of deleted or archived messages
 * @param last the last sequence that the purge read
 * @param isEnd whether no later message can be removed yet
 */
public record PurgeResult(int removed, long last, boolean isEnd) {}

package dev.cdioutbox.internal.store.blockedkey;

/**
 * The queue of a key that waits for a retry or an operator, or that still has messages to catch up.
 *
 * @param id the {@code queue_id} of the key's messages
 * @param partition the id of the key's partition
 */
public record BlockedKey(long id, int partition, String key) {}

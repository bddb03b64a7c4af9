package dev.cdioutbox.internal.store;

/**
 * The queue of a key that waits, or has not caught up yet.
 *
 * @param id the {@code queue_id} of the messages that stand behind it
 * @param partition the partition of the key
 */
record BlockedKey(long id, int partition, String key) {}

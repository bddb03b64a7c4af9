package dev.cdioutbox.internal.store;

import dev.cdioutbox.OutboxMessage;

/**
 * A row as the claim reads it.
 *
 * @param sequence the row's {@code seq}
 * @param key the ordering key, or null
 * @param gated whether it stands in the partition though its key has a gate
 * @param due whether its time has come
 * @param message the message, or null if the row cannot be decoded
 * @param problem why it cannot be decoded, or null
 */
record ClaimedMessage(long sequence, String key, boolean gated, boolean due, OutboxMessage message, String problem) {}

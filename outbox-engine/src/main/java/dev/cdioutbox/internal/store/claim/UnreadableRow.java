package dev.cdioutbox.internal.store.claim;

/**
 * A row that cannot be read as a message.
 *
 * @param attempts the charged attempts: a message may become unreadable after it has failed
 * @param problem the reason why it is unreadable
 */
public record UnreadableRow(long sequence, int attempts, String problem) {}

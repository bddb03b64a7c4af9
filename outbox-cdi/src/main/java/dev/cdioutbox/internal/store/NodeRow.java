package dev.cdioutbox.internal.store;

import dev.cdioutbox.OutboxNode;

/**
 * The row of a process, which stays if the process crashes.
 *
 * @param sending the message that it is sending singly; null if there is none
 */
public record NodeRow(OutboxNode node, Long sending) {}

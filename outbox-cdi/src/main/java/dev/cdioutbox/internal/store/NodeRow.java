package dev.cdioutbox.internal.store;

import dev.cdioutbox.OutboxNode;

/**
 * What a process leaves behind of itself while it runs, and for good if it dies.
 *
 * @param sending the message that it sends alone at this moment; null if none
 */
public record NodeRow(OutboxNode node, Long sending) {}

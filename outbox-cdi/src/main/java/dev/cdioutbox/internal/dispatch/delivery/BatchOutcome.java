package dev.cdioutbox.internal.dispatch.delivery;

import dev.cdioutbox.OutboxMessage;

/**
 * The outcome of a batch.
 *
 * @param settled the number of messages that are published or expired, or that an operator discarded
 * @param next the first message left for another batch; null if there is none
 */
public record BatchOutcome(int settled, OutboxMessage next) {}

package dev.cdioutbox.internal.dispatch.delivery;

import java.util.Set;

import dev.cdioutbox.OutboxMessage;

/**
 * The outcome of a batch.
 *
 * @param settled the sequences of the messages that are published or expired, or that an operator discarded
 * @param next the first message left for another batch; null if there is none
 */
public record BatchOutcome(Set<Long> settled, OutboxMessage next) {
    public static final BatchOutcome EMPTY = new BatchOutcome(Set.of(), null);

    public BatchOutcome {
        settled = Set.copyOf(settled);
    }
}

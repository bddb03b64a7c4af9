package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * The state of a batch in the database after its commit failed. A failed commit is not always a rollback: a transaction
 * manager that cannot reach one branch reports a failure and completes that branch later.
 *
 * @param settled messages whose database branch is committed; the broker's branch may have any state
 * @param inDoubt messages whose database branch is prepared and waits for its outcome
 */
record CommitOutcome(List<OutboxMessage> settled, List<OutboxMessage> inDoubt) {

    /**
     * Reads the state, outside of a transaction. Queries lockable rows first, then pending rows; the reverse order
     * could misclassify a row.
     */
    static CommitOutcome of(List<OutboxMessage> batch, OutboxStore store) {
        List<Long> sequences = batch.stream().map(OutboxMessage::sequence).toList();
        Set<Long> free = store.lockable(sequences);
        Set<Long> waiting = store.pending(sequences);
        List<Long> over =
                sequences.stream().filter(Predicate.not(waiting::contains)).toList();
        Set<Long> discarded = over.isEmpty() ? Set.of() : discarded(over, store);
        return new CommitOutcome(
                batch.stream()
                        .filter(m -> !waiting.contains(m.sequence()) && !discarded.contains(m.sequence()))
                        .toList(),
                batch.stream()
                        .filter(m -> waiting.contains(m.sequence()) && !free.contains(m.sequence()))
                        .toList());
    }

    /** Messages that an operator discarded meanwhile. No delivery leaves a row in this state. */
    private static Set<Long> discarded(List<Long> sequences, OutboxStore store) {
        return store.find(sequences).stream()
                .filter(message -> message.delivery().status() == OutboxStatus.DISCARDED)
                .map(OutboxMessage::sequence)
                .collect(Collectors.toSet());
    }

    boolean isRollback() {
        return settled.isEmpty() && inDoubt.isEmpty();
    }
}

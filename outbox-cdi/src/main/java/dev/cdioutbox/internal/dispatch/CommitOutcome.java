package dev.cdioutbox.internal.dispatch;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.Lease;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * What the database knows of a batch whose commit failed. A transaction manager that cannot reach a branch says so and ends
 * it later; what a failed commit leaves is not always a rollback.
 *
 * @param settled the database's branch is committed, whatever became of the broker's
 * @param inDoubt the database's branch is prepared, and waits for its outcome
 */
record CommitOutcome(List<OutboxMessage> settled, List<OutboxMessage> inDoubt) {

    /** Asked apart from any transaction. Whoever is not in doubt when he is looked at must not count as such afterwards. */
    static CommitOutcome of(List<OutboxMessage> batch, OutboxStore store, Lease lease) {
        List<Long> sequences = batch.stream().map(OutboxMessage::sequence).toList();
        Set<Long> free = store.lockable(sequences, lease);
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

    /** By an operator, meanwhile: no delivery settles so. */
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

package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.settle.SettlementStore;

/**
 * The state of a batch in the database after its commit failed with exactly-once. A failed commit is not always a rollback:
 * a transaction manager that cannot reach one branch reports a failure and completes that branch later. With at-least-once,
 * the database has no branch that could tell, so a failed commit counts as a rollback, and the broker may get copies.
 *
 * @param settled the number of messages whose database branch is committed; the broker's branch may have any state
 * @param inDoubt the number of messages whose database branch is prepared and waits for its outcome
 */
record CommitOutcome(int settled, int inDoubt) {

    /**
     * Reads the state, outside of a transaction. Queries lockable rows first, then pending rows; the reverse order
     * could misclassify a row.
     */
    static CommitOutcome of(List<OutboxMessage> batch, SettlementStore settlements) {
        List<Long> sequences = batch.stream().map(OutboxMessage::sequence).toList();
        Set<Long> free = settlements.lockable(sequences);
        Set<Long> waiting = settlements.pending(sequences);
        long inDoubt =
                waiting.stream().filter(sequence -> !free.contains(sequence)).count();
        return new CommitOutcome(batch.size() - waiting.size(), (int) inDoubt);
    }

    boolean isRollback() {
        return settled == 0 && inDoubt == 0;
    }
}

package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.internal.dispatch.WorkerState.Cycle;
import dev.cdioutbox.internal.store.claim.PartitionRange;

/**
 * What a cycle has found, and where messages may still wait. Immutable.
 *
 * @param again the partitions in which to look again
 * @param after the partition after which the next cycle for all partitions begins; null to keep
 *     what {@link WorkerState#claimed} has set
 */
record CycleResult(Found found, PartitionRange again, Long after) {

    /**
     * No free partition of the range has messages.
     *
     * @param foundLocked whether messages wait in locked ones. If the node is alone, its own threads have locked them
     */
    static CycleResult nothing(Cycle cycle, boolean foundLocked, boolean isAlone) {
        return foundLocked && isAlone
                ? new CycleResult(Found.LOCKED, cycle.range(), null)
                : new CycleResult(Found.NOTHING, PartitionRange.NONE, null);
    }

    /** The rate of the destination allows no claim now. A timer begins the next run. */
    static CycleResult heldBack() {
        return new CycleResult(Found.NOTHING, PartitionRange.NONE, null);
    }

    /**
     * A batch is delivered.
     *
     * <table>
     * <caption>Where to look again</caption>
     * <tr><th>the cycle</th><th>partitions</th></tr>
     * <tr><td>ended at a limit, left a message unsettled, found a row locked, or met a due blocked key</td>
     *     <td>all</td></tr>
     * <tr><td>left nothing, but other nodes dispatch too, or it has leased its partitions: a wake-up may have found
     *     them taken, and nothing repeats it</td><td>those that it has released</td></tr>
     * <tr><td>left nothing, on a node that is alone, but other threads hold partitions with messages</td>
     *     <td>its range</td></tr>
     * <tr><td>left nothing, on a node that is alone</td><td>none</td></tr>
     * </table>
     *
     * @param isDone whether the cycle has left nothing
     * @param isAlone whether only the threads of this node claim partitions, by locks
     * @param released the partitions of the claim
     */
    static CycleResult delivered(
            Cycle cycle, boolean isDone, boolean isAlone, boolean foundLocked, PartitionRange released, Long after) {
        if (!isDone) {
            return new CycleResult(Found.DELIVERED, PartitionRange.ALL, after);
        }
        PartitionRange ofOthers = foundLocked ? cycle.range() : PartitionRange.NONE;
        return new CycleResult(Found.DELIVERED, isAlone ? ofOthers : released, after);
    }

    /** The same, after messages were moved to their partitions. */
    CycleResult afterMove() {
        return new CycleResult(found == Found.DELIVERED ? found : Found.MOVED, PartitionRange.ALL, after);
    }

    /** What a cycle has found. */
    enum Found {
        /** No partition of the range has messages, or other nodes may have locked those that do, or the rate allows none. */
        NOTHING,
        /** This node is alone, and messages wait in partitions that its other threads have locked. */
        LOCKED,
        /** The claimed partitions have messages, but none that can be sent now. Others may have some. */
        WAITING,
        /** Nothing was sent, but messages were moved, so that the next claim may find some to send. */
        MOVED,
        /** The batch is delivered. */
        DELIVERED
    }
}

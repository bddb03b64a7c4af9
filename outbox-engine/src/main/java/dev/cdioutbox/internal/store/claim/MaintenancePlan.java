package dev.cdioutbox.internal.store.claim;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a claim has found to do to blocked keys, which {@link BlockedKeyMaintenance} does after the batch.
 *
 * @param perhapsEmpty due blocked keys whose messages were all in the batch, or that had none
 * @param notYetDue due blocked keys whose first message is not due
 * @param partitionsToClear partitions with followers of blocked keys
 */
record MaintenancePlan(Set<Long> perhapsEmpty, Set<Long> notYetDue, Set<Long> partitionsToClear) {

    /**
     * Judges queues by the rows that a batch has read of them.
     *
     * @param read how many of the queues, counted from the first, the batch has read before it was full
     */
    static MaintenancePlan of(List<Queue> queues, int read) {
        MaintenancePlan plan = new MaintenancePlan(new HashSet<>(), new HashSet<>(), new HashSet<>());
        for (Queue queue : queues.subList(0, read)) {
            if (queue instanceof BlockedKeyQueue key) {
                plan.add(key);
            }
        }
        queues.stream().filter(Queue::hasFollowers).map(Queue::partition).forEach(plan.partitionsToClear::add);
        return plan;
    }

    private void add(BlockedKeyQueue key) {
        if (key.isInBatch()) {
            perhapsEmpty.add(key.id());
        } else if (key.beginsLater()) {
            notYetDue.add(key.id());
        }
    }

    boolean isEmpty() {
        return perhapsEmpty.isEmpty() && notYetDue.isEmpty() && partitionsToClear.isEmpty();
    }
}

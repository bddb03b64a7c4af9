package dev.cdioutbox.internal.operate;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxOperations;

/**
 * The operations in batches, for changes that are too large for one transaction. Each batch returns the start of the
 * next one.
 */
public interface BatchedOperations extends OutboxOperations {

    /**
     * Executes one batch of an operation, on the oldest messages that match a filter. The filter's limit and the total
     * payload size limit the batch. All batches of an operation have one audit entry.
     *
     * @param filter the same for all batches, except {@code afterSequence}, which is the end of the previous batch
     * @param name the operation's name: 32 hexadecimal digits, the first twelve the time in milliseconds. With a name,
     *     a repeated call changes nothing. Null for an operation of one batch that is never repeated
     * @return the progress of the operation
     */
    OperationBatch executeBatch(MessageOperation operation, OutboxFilter filter, String name);

    @Override
    BatchedOperations outbox(String name);

    /**
     * @param changed the number of messages that all batches of the operation have changed
     * @param last the highest sequence that the batch has processed, changed or not; null if no more follow
     */
    record OperationBatch(int changed, Long last) {}
}

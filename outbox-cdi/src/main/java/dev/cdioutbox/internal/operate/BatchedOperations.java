package dev.cdioutbox.internal.operate;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxOperations;

/**
 * The operations in batches, for changes that are too large for one transaction. Each batch returns where the next one
 * begins.
 */
public interface BatchedOperations extends OutboxOperations {

    /**
     * Executes one batch of an operation: on the oldest messages that a filter lets through, no more than its limit, nor many
     * large ones at once. All batches of an operation have one audit entry.
     *
     * @param filter the same for all batches, but for the sequence after which a batch begins: where the one before ended
     * @param name of the operation: 32 hexadecimal digits, the first twelve the time in milliseconds. With a name, a batch that
     *     was executed changes nothing when the call is repeated. Null for an operation of one batch that is never repeated
     * @return how far the operation has come
     */
    OperationBatch executeBatch(MessageOperation operation, OutboxFilter filter, String name);

    @Override
    BatchedOperations outbox(String name);

    /**
     * @param changed how many messages all batches of the operation have changed
     * @param last the highest sequence that was looked at, changed or not; null if no more follow
     */
    record OperationBatch(int changed, Long last) {}
}

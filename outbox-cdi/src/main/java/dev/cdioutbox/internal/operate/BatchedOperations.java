package dev.cdioutbox.internal.operate;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxOperations;

/**
 * The operations in batches, for changes that are too large for one transaction. Each batch returns where the next one
 * begins.
 */
public interface BatchedOperations extends OutboxOperations {

    /**
     * Does something to the oldest messages that a filter lets through: no more than its limit, nor many large ones at once.
     *
     * @param name by which it is asked for: 32 hexadecimal digits, the first twelve the time in milliseconds. A repeated call with the same name returns the first result and changes nothing. Null if the call is never repeated
     */
    OperationBatch executeBatch(MessageOperation operation, OutboxFilter filter, String name);

    @Override
    BatchedOperations outbox(String name);

    /**
     * @param changed how many messages were changed
     * @param last the highest sequence that was looked at, changed or not; null if no more follow
     */
    record OperationBatch(int changed, Long last) {}
}

package dev.cdioutbox.internal.operate;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxOperations;

/** The operations, which also tell how far they have come, for who has more to change than one transaction should. */
public interface BatchedOperations extends OutboxOperations {

    /**
     * Does something to the oldest messages that a filter lets through: no more than its limit, nor many large ones at once.
     *
     * @param name by which it is asked for: 32 hexadecimal digits, the first twelve the time in milliseconds. Who asks again by
     *     the same name is told what was done, and nothing is done twice. Null if nobody will
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

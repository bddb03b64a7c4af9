package dev.cdioutbox.persistence;

/**
 * Is notified of aggregates that collect events. {@link OutboxEntityListener} does so for Jakarta Persistence; the interceptor
 * of another mapper may inject this and do the same.
 *
 * <p>Thread-safe. Both methods belong to the transaction of the calling thread.
 */
public interface OutboxEventSources {

    /**
     * An aggregate is at work in the current transaction. If it still has events when the transaction completes, the
     * transaction is rolled back. Without a transaction this does nothing.
     *
     * @param source the aggregate; not null
     */
    void managed(OutboxEventSource source);

    /**
     * An aggregate was written to the database: its events are fired.
     *
     * @param source the aggregate; not null
     * @throws dev.cdioutbox.OutboxException as {@code fire()} does
     */
    void written(OutboxEventSource source);
}

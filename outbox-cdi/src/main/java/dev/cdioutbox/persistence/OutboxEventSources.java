package dev.cdioutbox.persistence;

/**
 * Accepts notifications about aggregates that collect events. {@link OutboxEntityListener} sends them for Jakarta
 * Persistence. An interceptor of another mapper may inject this type and do the same:
 *
 * <pre>{@code
 * // after it was loaded or created
 * sources.managed(aggregate);
 * // after each write
 * sources.written(aggregate);
 * }</pre>
 *
 * <p>Thread-safe. Both methods run in the transaction of the calling thread.
 */
public interface OutboxEventSources {

    /**
     * Reports an aggregate that the current transaction works on. If the aggregate still has events when the
     * transaction completes, the outbox rolls the transaction back. Without a transaction this method does nothing.
     *
     * @param source the aggregate; not null
     */
    void managed(OutboxEventSource source);

    /**
     * Reports an aggregate that was written to the database, and fires its events.
     *
     * @param source the aggregate; not null
     * @throws dev.cdioutbox.OutboxException as {@code fire()} does
     */
    void written(OutboxEventSource source);
}

package dev.cdioutbox.persistence;

/**
 * Accepts notifications about aggregates that collect events. {@link OutboxAggregate}, {@link OutboxEntityListener} and
 * the interceptor of {@link WritesAggregates} send them, so an application seldom calls this bean itself.
 *
 * <p>Thread-safe. Both methods run in the transaction of the calling thread.
 */
public interface OutboxAggregates {

    /**
     * Reports an aggregate that collects an event. If the aggregate still has events when the transaction completes, the
     * outbox rolls the transaction back.
     *
     * @param aggregate the aggregate; not null
     * @throws dev.cdioutbox.OutboxException OBX-0124 outside of a transaction
     */
    void collected(OutboxAggregate aggregate);

    /**
     * Reports an aggregate that was written to the database, and fires its events, and those that other instances with
     * its class and id have collected in this transaction.
     *
     * @param aggregate the aggregate; not null
     * @throws dev.cdioutbox.OutboxException as {@code fire()} does
     */
    void written(OutboxAggregate aggregate);
}

package dev.cdioutbox.persistence;

import jakarta.enterprise.inject.spi.CDI;
import jakarta.persistence.PostPersist;
import jakarta.persistence.PostRemove;
import jakarta.persistence.PostUpdate;

/**
 * Fires the events that an aggregate collected, when Jakarta Persistence writes the aggregate. Name this class in
 * {@code @EntityListeners} of an entity that extends {@link OutboxAggregate}. The listener ignores other entities, so it
 * may also be a default listener in {@code orm.xml}. Thread-safe.
 */
public class OutboxEntityListener {

    private volatile OutboxAggregates aggregates;

    /** For Jakarta Persistence. */
    public OutboxEntityListener() {}

    /**
     * Jakarta Persistence calls this method after it has written an entity.
     *
     * @param entity the entity
     */
    @PostPersist
    @PostUpdate
    @PostRemove
    public void written(Object entity) {
        if (entity instanceof OutboxAggregate aggregate) {
            aggregates().written(aggregate);
        }
    }

    /** A lookup, since not every provider injects into listeners. */
    private OutboxAggregates aggregates() {
        OutboxAggregates known = aggregates;
        if (known == null) {
            known = CDI.current().select(OutboxAggregates.class).get();
            aggregates = known;
        }
        return known;
    }
}

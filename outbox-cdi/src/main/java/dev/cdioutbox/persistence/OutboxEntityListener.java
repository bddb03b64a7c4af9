package dev.cdioutbox.persistence;

import jakarta.enterprise.inject.spi.CDI;
import jakarta.persistence.PostLoad;
import jakarta.persistence.PostPersist;
import jakarta.persistence.PostRemove;
import jakarta.persistence.PostUpdate;
import jakarta.persistence.PrePersist;

/**
 * Fires the events that an aggregate collected, when Jakarta Persistence writes the aggregate. Name this class in
 * {@code @EntityListeners} of an entity that implements {@link OutboxEventSource}, as the example there does. The listener
 * ignores other entities, so it may also be a default listener in {@code orm.xml}. Thread-safe.
 */
public class OutboxEntityListener {

    private volatile OutboxEventSources sources;

    /** For Jakarta Persistence. */
    public OutboxEntityListener() {}

    /**
     * Jakarta Persistence calls this method for a new or loaded entity.
     *
     * @param entity the entity
     */
    @PrePersist
    @PostLoad
    public void managed(Object entity) {
        if (entity instanceof OutboxEventSource source) {
            sources().managed(source);
        }
    }

    /**
     * Jakarta Persistence calls this method after it has written an entity.
     *
     * @param entity the entity
     */
    @PostPersist
    @PostUpdate
    @PostRemove
    public void written(Object entity) {
        if (entity instanceof OutboxEventSource source) {
            sources().written(source);
        }
    }

    /** A lookup, since not every provider injects into listeners. */
    private OutboxEventSources sources() {
        OutboxEventSources known = sources;
        if (known == null) {
            known = CDI.current().select(OutboxEventSources.class).get();
            sources = known;
        }
        return known;
    }
}

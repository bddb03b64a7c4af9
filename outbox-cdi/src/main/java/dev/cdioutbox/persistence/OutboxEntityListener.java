package dev.cdioutbox.persistence;

import jakarta.enterprise.inject.spi.CDI;
import jakarta.persistence.PostLoad;
import jakarta.persistence.PostPersist;
import jakarta.persistence.PostRemove;
import jakarta.persistence.PostUpdate;
import jakarta.persistence.PrePersist;

/**
 * Fires the events that an aggregate collected, when Jakarta Persistence writes it. Name it in
 * {@code @EntityListeners} of an entity that is an {@link OutboxEventSource}; entities that are none are passed over, so
 * it may also be a default listener in {@code orm.xml}.
 */
public class OutboxEntityListener {

    private volatile OutboxEventSources sources;

    /** For Jakarta Persistence. */
    public OutboxEntityListener() {}

    /**
     * An entity is new or was loaded.
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
     * An entity was written.
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

    /** Looked up and not injected: not every provider injects into listeners. */
    private OutboxEventSources sources() {
        OutboxEventSources known = sources;
        if (known == null) {
            known = CDI.current().select(OutboxEventSources.class).get();
            sources = known;
        }
        return known;
    }
}

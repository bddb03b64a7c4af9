package dev.cdioutbox.persistence;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.CDI;

import org.jspecify.annotations.Nullable;

/**
 * The superclass of an entity that collects its events, so that business code never mentions the outbox.
 *
 * <pre>{@code
 * @Entity
 * @EntityListeners(OutboxEntityListener.class)
 * public class Order extends OutboxAggregate {
 *     void cancel() {
 *         status = CANCELLED;
 *         collect(new OrderCancelled(id));
 *     }
 * }
 * }</pre>
 *
 * <p>The events are fired as plain CDI events when Jakarta Persistence writes the entity, or when a method with
 * {@link WritesAggregates} has written it. If {@code merge()} writes a copy, which has the same class and id, the events
 * of the detached instance are fired too. If events are left at the end of the transaction, because the entity was not
 * written after them, the outbox rolls the transaction back (OBX-0117), so that no event is lost.
 *
 * <p>Collect events in the transaction that writes the entity. After a rollback, begin with a fresh instance: the outbox
 * does not see events of an earlier transaction that a detached instance still holds when it is merged.
 *
 * <p>This class has no persistent state, and needs no mapping. Not thread-safe, as entities are not.
 */
public abstract class OutboxAggregate {
    // Created on demand: EclipseLink with weaving clones entities from a cache, and the clones would share one list.
    private @Nullable List<Supplier<?>> events;

    /** For the entity. */
    protected OutboxAggregate() {}

    /**
     * Collects an event until the entity is written.
     *
     * @param event the event; not null
     * @throws dev.cdioutbox.OutboxException OBX-0124 outside of a transaction: the outbox could not find the event
     *     later. Without a CDI container, as in a unit test, any call succeeds.
     */
    protected final void collect(Object event) {
        collect(() -> event);
    }

    /**
     * Collects an event that needs an id from the database. The event is created when it is fired, after the insert.
     *
     * @param event creates the event; not null
     * @throws dev.cdioutbox.OutboxException OBX-0124 as above
     */
    protected final void collect(Supplier<?> event) {
        report();
        events = events == null ? new ArrayList<>() : events;
        events.add(event);
    }

    /**
     * Hands over the events collected since the last call, and forgets them. The outbox calls this method. So may a unit
     * test of the entity.
     *
     * @return the events in their order; not null
     */
    public final List<?> takeEvents() {
        if (events == null) {
            return List.of();
        }
        List<Supplier<?>> taken = List.copyOf(events);
        // The copy that EclipseLink merges a new entity into is a clone with the same list.
        events.clear();
        events = null;
        return taken.stream().map(Supplier::get).toList();
    }

    /** A unit test may have no container, or one without the outbox. */
    private void report() {
        CDI<Object> container;
        try {
            container = CDI.current();
        } catch (IllegalStateException e) {
            return;
        }
        Instance<OutboxAggregates> outbox = container.select(OutboxAggregates.class);
        if (outbox.isResolvable()) {
            outbox.get().collected(this);
        }
    }
}

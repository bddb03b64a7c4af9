package dev.cdioutbox.persistence;

import java.util.Collection;

/**
 * An aggregate that collects its events, so that business code never mentions the outbox:
 *
 * <pre>{@code
 * @Entity
 * @EntityListeners(OutboxEntityListener.class)
 * public class Order implements OutboxEventSource {
 *     @Transient
 *     private List<Object> events; // made when it is needed, see below
 *
 *     void cancel() {
 *         status = CANCELLED;
 *         collect(new OrderCancelled(id));
 *     }
 *
 *     private void collect(Object event) {
 *         events = events == null ? new ArrayList<>() : events;
 *         events.add(event);
 *     }
 *
 *     @Override
 *     public Collection<?> takeEvents() {
 *         List<Object> taken = events == null ? List.of() : events;
 *         events = null;
 *         return taken;
 *     }
 * }
 * }</pre>
 *
 * <p>The events are fired as plain CDI events when the aggregate is written to the database. If an aggregate that was loaded
 * or persisted in a transaction still has events at its end, because no persistent attribute had changed with them or it was
 * detached, they are neither lost nor sent: the transaction is rolled back (OBX-0117).
 *
 * <p>Collect events on managed instances. {@code merge()} copies the state of a detached one, and not its events. What was
 * loaded in another transaction (an extended persistence context) and is not written in this one is not seen. After a
 * rollback the events of what had been written are gone: begin with a fresh instance.
 *
 * <p>Do not make the collection with the object. A provider that clones entities from a cache, as EclipseLink does with
 * weaving, lets the clones share what a transient field refers to.
 */
public interface OutboxEventSource {

    /**
     * Hands over the events collected since the last call, and forgets them.
     *
     * @return the events in their order; not null
     */
    Collection<?> takeEvents();
}

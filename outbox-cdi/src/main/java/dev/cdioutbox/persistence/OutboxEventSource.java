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
 * <p>The events are fired as plain CDI events when the aggregate is written to the database. Those of an aggregate that
 * was not written in its transaction, because no persistent attribute had changed or it was detached, are neither lost
 * nor sent: the transaction is rolled back (OBX-0117).
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

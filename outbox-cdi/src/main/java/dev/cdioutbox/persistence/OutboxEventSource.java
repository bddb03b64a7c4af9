package dev.cdioutbox.persistence;

import java.util.Collection;

/**
 * An aggregate that collects its events, so that business code never mentions the outbox.
 *
 * <pre>{@code
 * @Entity
 * @EntityListeners(OutboxEntityListener.class)
 * public class Order implements OutboxEventSource {
 *     @Transient
 *     private List<Object> events; // created on demand, see below
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
 * <p>The listener fires the events as plain CDI events when Jakarta Persistence writes the aggregate. An aggregate of
 * the transaction may still have events at its end: it was detached, or no persistent attribute changed. Then the
 * outbox rolls the transaction back (OBX-0117), so that no event is lost.
 *
 * <p>Collect events on managed instances. {@code merge()} copies the state of a detached instance, but not its events.
 * With an extended persistence context, the outbox does not see an instance that another transaction loaded and this
 * one does not write. After a rollback, the events of written instances are gone: begin with a fresh instance.
 *
 * <p>Do not create the collection in the constructor. EclipseLink with weaving clones entities from a cache, and the
 * clones would share one collection.
 */
public interface OutboxEventSource {

    /**
     * Hands over the events collected since the last call, and forgets them.
     *
     * @return the events in their order; not null
     */
    Collection<?> takeEvents();
}

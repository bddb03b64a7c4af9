package dev.cdioutbox.sample;

import java.util.List;

import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

import dev.cdioutbox.persistence.OutboxMessageView;

/**
 * Places and cancels orders. Each method is one container-managed transaction: its changes and its events commit
 * together or not at all. There is no code for the outbox: a method fires an event, or the order itself collects it.
 */
@Stateless
public class OrderService {

    private static final int RECENT = 50;

    @PersistenceContext
    private EntityManager entities;

    @Inject
    private Event<OrderPlaced> placed;

    /** Stores an order and fires its event. */
    public OrderView place(PlaceOrder request) {
        return OrderView.of(store(request));
    }

    /**
     * Places an order like {@link #place} and then fails, as business code may fail at any line after {@code fire()}.
     */
    public OrderView placeAndFail(PlaceOrder request) {
        throw new PretendedFailure(store(request).id());
    }

    /** Cancels an order, once. */
    public OrderView cancel(String id) {
        Order order = entities.find(Order.class, id);
        if (order == null) {
            throw new UnknownOrder(id);
        }
        order.cancel();
        // Flush here: of two concurrent cancels, one then fails with an OptimisticLockException. At the commit, the
        // caller would only get a rollback without the reason.
        entities.flush();
        return OrderView.of(order);
    }

    /** One order. */
    public OrderView get(String id) {
        Order order = entities.find(Order.class, id);
        if (order == null) {
            throw new UnknownOrder(id);
        }
        return OrderView.of(order);
    }

    /** The events of an order, the oldest first, with the state of their messages. */
    public List<OrderEvent> events(String id) {
        get(id);
        return entities.createQuery(
                        "SELECT m FROM OutboxMessageView m WHERE m.messageKey = :id AND m.aggregateType = 'Order'"
                                + " ORDER BY m.sequence",
                        OutboxMessageView.class)
                .setParameter("id", id)
                .getResultStream()
                .map(OrderEvent::of)
                .toList();
    }

    /** The newest orders first. */
    public List<OrderView> recent() {
        List<String> ids = entities.createQuery(
                        "SELECT o.id FROM orders o ORDER BY o.placedAt DESC, o.id", String.class)
                .setMaxResults(RECENT)
                .getResultList();
        if (ids.isEmpty()) {
            return List.of();
        }
        // A second query, since a limit does not work with a fetch join. Without the join, each order would need a
        // separate query.
        return entities.createQuery(
                        "SELECT DISTINCT o FROM orders o JOIN FETCH o.lines WHERE o.id IN :ids"
                                + " ORDER BY o.placedAt DESC, o.id",
                        Order.class)
                .setParameter("ids", ids)
                .getResultStream()
                .map(OrderView::of)
                .toList();
    }

    private Order store(PlaceOrder request) {
        Order order = new Order(request.customer());
        request.orderedLines()
                .forEach(line -> order.add(line.item(), line.quantity().intValueExact()));
        entities.persist(order);
        placed.fire(OrderPlaced.of(order));
        return order;
    }
}

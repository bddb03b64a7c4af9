package dev.cdioutbox.sample;

import java.util.List;

import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

import dev.cdioutbox.persistence.OutboxMessageView;

/**
 * Places and cancels orders. Each method is one container-managed transaction, and what it changes and what it fires
 * commit together or not at all. There is no code for the outbox: an event is fired, or the order itself collects it.
 */
@Stateless
public class OrderService {

    private static final int RECENT = 50;

    @PersistenceContext
    private EntityManager entities;

    @Inject
    private Event<OrderPlaced> placed;

    /** Stores an order and tells the world. */
    public OrderView place(PlaceOrder request) {
        return OrderView.of(store(request));
    }

    /** Does what {@link #place} does and then fails, as business code may do at any line after {@code fire()}. */
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
        // If someone else cancels it at this moment, one of the two loses here, with an exception that says so, and not
        // at the commit, where the caller would only hear that the transaction was rolled back.
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

    /** What happened to an order, oldest first, and how far the news of it travelled. */
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
        // A limit and a fetch join do not go together, and without the join each order would be a query of its own.
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

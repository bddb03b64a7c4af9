package org.example.shop;

import java.util.List;

import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

@Stateless
public class OrderService {

    @PersistenceContext
    private EntityManager entities;

    @Inject
    private Event<OrderPlaced> placed;

    /** For the container, which injects the fields. */
    public OrderService() {}

    /** For unit tests. */
    OrderService(EntityManager entities, Event<OrderPlaced> placed) {
        this.entities = entities;
        this.placed = placed;
    }

    public Order place(String customer) {
        Order order = new Order(customer);
        entities.persist(order);
        placed.fire(new OrderPlaced(order.getId(), customer));
        return order;
    }

    public List<Order> all() {
        return entities.createQuery("SELECT o FROM orders o ORDER BY o.customer", Order.class)
                .getResultList();
    }
}

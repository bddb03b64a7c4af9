package dev.cdioutbox.sample;

import java.util.List;

import jakarta.ejb.Stateless;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

/** Reads the messages that {@link ShippingBean} received. */
@Stateless
public class ShipmentLog {

    private static final int RECENT = 50;
    private static final int OF_ONE_ORDER = 1000;

    @PersistenceContext
    private EntityManager entities;

    /** The newest deliveries first. */
    public List<DeliveryView> recent() {
        return entities.createQuery(
                        "SELECT s FROM Shipment s ORDER BY s.receivedAt DESC, s.sequence DESC", Shipment.class)
                .setMaxResults(RECENT)
                .getResultStream()
                .map(DeliveryView::of)
                .toList();
    }

    /** The deliveries of one order, the newest first. */
    public List<DeliveryView> ofOrder(String orderId) {
        return entities.createQuery(
                        "SELECT s FROM Shipment s WHERE s.orderId = :order ORDER BY s.receivedAt DESC, s.sequence DESC",
                        Shipment.class)
                .setParameter("order", orderId)
                .setMaxResults(OF_ONE_ORDER)
                .getResultStream()
                .map(DeliveryView::of)
                .toList();
    }
}

package dev.cdioutbox.sample;

import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An order was placed. The shape of this event is a contract with the consumers, and so separate from the entity. */
@OutboxEvent(aggregateType = "Order")
public record OrderPlaced(@OutboxKey String orderId, String customer, List<Line> lines, Instant placedAt) {

    /** An item with its quantity. */
    public record Line(String item, int quantity) {}

    static OrderPlaced of(Order order) {
        List<Line> lines = order.lines().stream()
                .map(line -> new Line(line.item(), line.quantity()))
                .toList();
        return new OrderPlaced(order.id(), order.customer(), lines, order.placedAt());
    }
}

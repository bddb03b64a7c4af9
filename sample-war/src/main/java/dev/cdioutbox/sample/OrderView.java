package dev.cdioutbox.sample;

import java.time.Instant;
import java.util.List;

import jakarta.json.bind.annotation.JsonbPropertyOrder;

/** An order as clients see it. A value, so that no entity leaves its transaction. */
@JsonbPropertyOrder({"id", "customer", "status", "placedAt", "lines"})
public record OrderView(String id, String customer, Order.Status status, Instant placedAt, List<Line> lines) {

    /** An item with its quantity. */
    @JsonbPropertyOrder({"item", "quantity"})
    public record Line(String item, int quantity) {}

    static OrderView of(Order order) {
        List<Line> lines = order.lines().stream()
                .map(line -> new Line(line.item(), line.quantity()))
                .toList();
        return new OrderView(order.id(), order.customer(), order.status(), order.placedAt(), lines);
    }
}

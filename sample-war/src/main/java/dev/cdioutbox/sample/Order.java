package dev.cdioutbox.sample;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

import dev.cdioutbox.persistence.OutboxAggregate;
import dev.cdioutbox.persistence.OutboxEntityListener;

/**
 * The order of a customer. The order collects its events, and the listener fires them with the write of the order. So a
 * caller that cancels an order cannot forget the event. The entity is named {@code orders} because {@code ORDER} is a
 * reserved word in SQL.
 */
@Entity(name = "orders")
@Table(name = "orders")
@EntityListeners(OutboxEntityListener.class)
public class Order extends OutboxAggregate {

    /** The status of an order. */
    public enum Status {
        PLACED,
        CANCELLED
    }

    // Assigned here and not by the database: the service fires the event with this id before the flush.
    @Id
    private String id;

    private String customer;

    @Enumerated(EnumType.STRING)
    private Status status;

    // Jakarta Persistence 3.1 has no mapping for Instant.
    @Column(name = "placed_at")
    private OffsetDateTime placedAt;

    @Version
    private int version;

    @OneToMany(mappedBy = "order", cascade = CascadeType.ALL, orphanRemoval = true)
    private List<OrderLine> lines = new ArrayList<>();

    /** For Jakarta Persistence. */
    protected Order() {}

    Order(String customer) {
        this.id = UUID.randomUUID().toString();
        this.customer = customer;
        this.status = Status.PLACED;
        // In the database's precision, so that the answer to the POST and every later one agree.
        this.placedAt = OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MICROS);
    }

    void add(String item, int quantity) {
        lines.add(new OrderLine(this, lines.size(), item, quantity));
    }

    void cancel() {
        if (status == Status.CANCELLED) {
            throw new OrderAlreadyCancelled(id);
        }
        status = Status.CANCELLED;
        collect(new OrderCancelled(id, Instant.now()));
    }

    String id() {
        return id;
    }

    String customer() {
        return customer;
    }

    Status status() {
        return status;
    }

    Instant placedAt() {
        return placedAt.toInstant();
    }

    List<OrderLine> lines() {
        // Sorted here, since EclipseLink ignores @OrderBy in a fetch join.
        return lines.stream()
                .sorted(Comparator.comparingInt(OrderLine::position))
                .toList();
    }
}

package dev.cdioutbox.sample;

import java.util.UUID;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;

/** One item of an {@link Order}. */
@Entity
@Table(name = "order_line")
public class OrderLine {

    @Id
    private String id;

    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    @JoinColumn(name = "order_id")
    private Order order;

    private int position;

    private String item;

    private int quantity;

    /** For Jakarta Persistence. */
    protected OrderLine() {}

    OrderLine(Order order, int position, String item, int quantity) {
        this.id = UUID.randomUUID().toString();
        this.order = order;
        this.position = position;
        this.item = item;
        this.quantity = quantity;
    }

    int position() {
        return position;
    }

    String item() {
        return item;
    }

    int quantity() {
        return quantity;
    }
}

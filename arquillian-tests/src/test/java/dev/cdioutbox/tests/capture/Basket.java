package dev.cdioutbox.tests.capture;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

import dev.cdioutbox.persistence.OutboxAggregate;
import dev.cdioutbox.persistence.OutboxEntityListener;

/** An entity that collects its events until the flush takes them. */
@Entity
@Table(name = "capture_basket")
@EntityListeners(OutboxEntityListener.class)
public class Basket extends OutboxAggregate {
    @Id
    private String id;

    private int items;

    protected Basket() {}

    Basket(String id) {
        this.id = id;
    }

    /** Changes the row and adds an event. */
    Basket add(String token) {
        items++;
        return tell(token);
    }

    /** Adds an event without a change of the row. */
    Basket tell(String token) {
        collect(new Noted(id, token));
        return this;
    }

    int items() {
        return items;
    }
}

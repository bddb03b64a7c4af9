package dev.cdioutbox.tests.capture;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;

import dev.cdioutbox.persistence.OutboxEntityListener;
import dev.cdioutbox.persistence.OutboxEventSource;

/** An entity that collects its events until the flush takes them. */
@Entity
@Table(name = "capture_basket")
@EntityListeners(OutboxEntityListener.class)
public class Basket implements OutboxEventSource {
    @Id
    private String id;

    private int items;

    @Transient
    private List<Object> events;

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
        events = events == null ? new ArrayList<>() : events;
        events.add(new Noted(id, token));
        return this;
    }

    int items() {
        return items;
    }

    @Override
    public Collection<?> takeEvents() {
        List<Object> taken = events == null ? List.of() : events;
        events = null;
        return taken;
    }
}

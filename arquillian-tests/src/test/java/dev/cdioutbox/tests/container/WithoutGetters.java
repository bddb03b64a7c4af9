package dev.cdioutbox.tests.container;

import dev.cdioutbox.OutboxEvent;

/** JSON-B finds no property to serialize in this class. */
@OutboxEvent
public class WithoutGetters {
    private final String order;

    WithoutGetters(String order) {
        this.order = order;
    }

    @Override
    public String toString() {
        return order;
    }
}

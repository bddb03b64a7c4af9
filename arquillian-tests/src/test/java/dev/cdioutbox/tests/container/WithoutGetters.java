package dev.cdioutbox.tests.container;

import dev.cdioutbox.OutboxEvent;

/** JSON-B sees nothing of it. */
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

package dev.cdioutbox.tests.container;

import java.util.List;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** The archive has an empty beans.xml, and the class has no bean-defining annotation except the outbox's. */
@OutboxEvent(type = "order.shipped", version = 3, aggregateType = "Order")
public record OrderShipped(@OutboxKey String orderId, int step, List<String> notes) {
    /** A note that makes the receiver fire an event of its own. */
    static final String REPLY = "please reply";

    /** A note that makes the enricher set each property it can. */
    static final String RICH = "rich";
}

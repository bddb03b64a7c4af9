package dev.cdioutbox.tests.container;

import java.util.List;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** In the archive with an empty beans.xml and without any bean-defining annotation but ours. */
@OutboxEvent(type = "order.shipped", version = 3, aggregateType = "Order")
public record OrderShipped(@OutboxKey String orderId, int step, List<String> notes) {
    /** A note that asks the receiver to fire an event of its own. */
    static final String REPLY = "please reply";

    /** A note that lets the enricher set all it can. */
    static final String RICH = "rich";
}

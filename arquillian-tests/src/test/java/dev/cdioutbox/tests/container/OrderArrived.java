package dev.cdioutbox.tests.container;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** The receiver of another event fires this one. */
@OutboxEvent(type = "order.arrived")
public record OrderArrived(@OutboxKey String orderId) {}

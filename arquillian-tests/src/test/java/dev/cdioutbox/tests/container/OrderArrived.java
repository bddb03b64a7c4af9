package dev.cdioutbox.tests.container;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Fired by the receiver of another event. */
@OutboxEvent(type = "order.arrived")
public record OrderArrived(@OutboxKey String orderId) {}

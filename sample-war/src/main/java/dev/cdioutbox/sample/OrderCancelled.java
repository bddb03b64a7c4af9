package dev.cdioutbox.sample;

import java.time.Instant;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An order was cancelled. This event has the key of its {@link OrderPlaced}, and so never overtakes that event. */
@OutboxEvent(aggregateType = "Order")
public record OrderCancelled(@OutboxKey String orderId, Instant cancelledAt) {}

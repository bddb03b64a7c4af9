package org.example.shop;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent(aggregateType = "Order")
public record OrderPlaced(@OutboxKey String orderId, String customer) {}

package dev.cdioutbox.tests.recipes;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent
public record OrderPlaced(@OutboxKey String orderId, String customer) {}

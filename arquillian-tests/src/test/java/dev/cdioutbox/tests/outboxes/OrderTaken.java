package dev.cdioutbox.tests.outboxes;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent
public record OrderTaken(@OutboxKey String orderId) {}

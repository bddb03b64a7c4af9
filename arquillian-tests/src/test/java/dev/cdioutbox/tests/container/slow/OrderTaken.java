package dev.cdioutbox.tests.container.slow;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent
public record OrderTaken(@OutboxKey String orderId) {}

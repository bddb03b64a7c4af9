package dev.cdioutbox.tests.container;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Where it is routed to is told by the deployment. */
@OutboxEvent
public record OrderAnnounced(@OutboxKey String orderId, int step) {}

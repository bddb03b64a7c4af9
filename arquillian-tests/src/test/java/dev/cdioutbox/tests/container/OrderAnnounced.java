package dev.cdioutbox.tests.container;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** The deployment's configuration routes this event. */
@OutboxEvent
public record OrderAnnounced(@OutboxKey String orderId, int step) {}

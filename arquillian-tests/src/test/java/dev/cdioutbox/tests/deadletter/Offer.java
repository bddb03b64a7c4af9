package dev.cdioutbox.tests.deadletter;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An event that is soon too old. */
@OutboxEvent
public record Offer(@OutboxKey String id) {}

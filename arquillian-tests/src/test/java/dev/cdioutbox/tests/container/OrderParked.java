package dev.cdioutbox.tests.container;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Goes to a destination that no dispatcher can deliver to. */
@OutboxEvent(destination = ClaimProbe.DESTINATION)
public record OrderParked(@OutboxKey String orderId) {}

package dev.cdioutbox.tests.container;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Goes where no dispatcher takes it away. */
@OutboxEvent(destination = ClaimProbe.DESTINATION)
public record OrderParked(@OutboxKey String orderId) {}

package dev.cdioutbox.tests.consume;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent
public record ParcelArrived(@OutboxKey String parcel) {}

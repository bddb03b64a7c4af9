package dev.cdioutbox.tests.transport;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent
public record Parcel(@OutboxKey String id) {}

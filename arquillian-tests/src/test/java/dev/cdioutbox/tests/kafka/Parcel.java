package dev.cdioutbox.tests.kafka;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent(destination = {"default", "parcels"})
public record Parcel(@OutboxKey String id) {}

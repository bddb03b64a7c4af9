package dev.cdioutbox.sample;

import java.time.Instant;

import dev.cdioutbox.OutboxEvent;

/**
 * Stock was counted. {@link ShippingBean} does not know this event, as if its sender were updated first, so that each of
 * these messages is put aside.
 */
@OutboxEvent
public record StockCounted(String item, int quantity, Instant countedAt) {}

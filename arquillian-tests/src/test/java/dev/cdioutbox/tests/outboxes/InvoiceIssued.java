package dev.cdioutbox.tests.outboxes;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Its business rows are in another database than those of an order. */
@OutboxEvent(outbox = "billing")
public record InvoiceIssued(@OutboxKey String orderId) {}

package dev.cdioutbox.tests.outboxes;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An event of the second outbox, whose tables are in another database. */
@OutboxEvent(outbox = "billing")
public record InvoiceIssued(@OutboxKey String orderId) {}

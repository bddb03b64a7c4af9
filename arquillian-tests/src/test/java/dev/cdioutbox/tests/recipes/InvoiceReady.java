package dev.cdioutbox.tests.recipes;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent
public record InvoiceReady(@OutboxKey String invoiceId, String blob) {}

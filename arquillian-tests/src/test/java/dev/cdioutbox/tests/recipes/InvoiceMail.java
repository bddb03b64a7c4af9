package dev.cdioutbox.tests.recipes;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxHandler;

@ApplicationScoped
public class InvoiceMail {
    @Inject
    BlobStore blobs;

    @Inject
    Mail mail;

    @OutboxHandler("invoice-mail")
    void send(InvoiceReady invoice) {
        mail.send(invoice.invoiceId(), blobs.get(invoice.blob()));
    }
}

package dev.cdioutbox.tests.recipes;

import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

@ApplicationScoped
public class Invoices {
    @Inject
    BlobStore blobs;

    @Inject
    Event<InvoiceReady> ready;

    @Transactional
    public void send(String invoiceId, byte[] document) {
        String blob = UUID.randomUUID().toString();
        blobs.put(blob, document);
        ready.fire(new InvoiceReady(invoiceId, blob));
    }
}

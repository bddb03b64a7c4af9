package dev.cdioutbox.tests.recipes;

/** That of the reader. */
public interface Mail {
    void send(String invoiceId, byte[] document);
}

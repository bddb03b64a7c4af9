package dev.cdioutbox.spi;

import dev.cdioutbox.OutboxPayload;

/**
 * Turns events into text or bytes. A CDI bean of this type replaces the default, which is JSON-B, for all events. This one leaves
 * JSON-B to the others:
 *
 * <pre>{@code
 * @ApplicationScoped
 * public class InvoiceSerializer implements OutboxSerializer {
 *     private final Jsonb jsonb = JsonbBuilder.create();
 *
 *     public String contentType(Object event) {
 *         return event instanceof Invoice ? "application/xml" : "application/json";
 *     }
 *
 *     public OutboxPayload serialize(Object event) throws Exception {
 *         return OutboxPayload.text(event instanceof Invoice invoice ? invoice.toXml() : jsonb.toJson(event));
 *     }
 * }
 * }</pre>
 *
 * <p>For a binary format, it returns {@link OutboxPayload#binary}, and a content type that is no text.
 *
 * <p>The outbox calls a serializer in {@code fire()}, on the caller's thread and in its transaction. Many threads may
 * call at once. An exception fails {@code fire()} and rolls the transaction back.
 */
public interface OutboxSerializer {

    /**
     * The media type of what {@link #serialize} returns.
     *
     * @param event the event as fired; not null
     * @return for example {@code application/json}, at most 100 characters; not blank, never null. For bytes, no type of texts:
     *     {@code text/…}, JSON, XML, or one with a charset
     */
    String contentType(Object event);

    /**
     * Serializes an event.
     *
     * @param event the event as fired; not null
     * @return the payload; not null
     * @throws Exception if the serializer cannot turn the event into a payload. The caller of {@code fire()} gets an
     *     {@link dev.cdioutbox.EventRefusedException}
     */
    OutboxPayload serialize(Object event) throws Exception;
}

package dev.cdioutbox.spi;

/**
 * Turns events into text. A CDI bean of this type replaces the default, which is JSON-B.
 *
 * <pre>{@code
 * @ApplicationScoped
 * public class AvroSerializer implements OutboxSerializer {
 *     @Inject
 *     Avro avro;
 *
 *     public String contentType() {
 *         return "application/avro;encoding=base64";
 *     }
 *
 *     public String serialize(Object event) throws Exception {
 *         return Base64.getEncoder().encodeToString(avro.encode(event));
 *     }
 * }
 * }</pre>
 *
 * <p>The outbox calls a serializer in {@code fire()}, on the caller's thread and in its transaction. Many threads may
 * call at once. An exception fails {@code fire()} and rolls the transaction back.
 */
public interface OutboxSerializer {

    /**
     * The media type of the text that {@link #serialize} returns.
     *
     * @return for example {@code application/json}; never null
     */
    String contentType();

    /**
     * Serializes an event.
     *
     * @param event the event as fired; not null
     * @return the payload; not null
     * @throws Exception if the serializer cannot turn the event into text
     */
    String serialize(Object event) throws Exception;
}

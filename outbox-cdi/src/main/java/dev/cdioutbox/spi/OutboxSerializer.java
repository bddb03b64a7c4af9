package dev.cdioutbox.spi;

/**
 * Turns events into text. Make a CDI bean of it to replace the default, which is JSON-B.
 *
 * <p>Called in {@code fire()}, on the caller's thread and in its transaction, by many threads at a time. Whatever it
 * throws fails {@code fire()} and rolls the transaction back.
 */
public interface OutboxSerializer {

    /**
     * The media type of what {@link #serialize} returns.
     *
     * @return for example {@code application/json}; never null
     */
    String contentType();

    /**
     * The text of an event.
     *
     * @param event the event as fired; not null
     * @return the payload; not null
     * @throws Exception if the event cannot be written as text
     */
    String serialize(Object event) throws Exception;
}

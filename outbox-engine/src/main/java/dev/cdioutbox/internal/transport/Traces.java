package dev.cdioutbox.internal.transport;

import java.util.Map;
import java.util.concurrent.Callable;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;

/** Creates the spans of a message: one for each send, and one for each time a consumer handles it. Thread-safe. */
public interface Traces {

    /**
     * Begins the span of a send.
     *
     * @param destination where the message is sent
     * @param target the broker's name of the destination, or null
     */
    SendSpan sending(OutboxMessage message, DestinationId destination, String transport, String target);

    /**
     * Runs the work for a received message in a span that continues the sender's trace.
     *
     * @param transport the transport that has brought it
     * @param target the broker's name of the queue or topic from which it came, or null
     */
    <T> T processing(CausingMessage received, String transport, String target, Callable<T> work) throws Exception;

    /** The span of one send, which ends with close(). */
    interface SendSpan extends AutoCloseable {
        SendSpan NONE = new SendSpan() {};

        /** The trace headers of this span for the message; empty to keep the message's own. */
        default Map<String, String> headers() {
            return Map.of();
        }

        default void failed(Exception e) {}

        @Override
        default void close() {}
    }
}

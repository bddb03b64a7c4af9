package dev.cdioutbox.internal.observe.trace;

import java.util.Map;
import java.util.concurrent.Callable;

import dev.cdioutbox.OutboxMessage;

/** Creates the spans of a message: one for each send, and one for each time a consumer handles it. */
public interface Spans {

    /** No spans, without MicroProfile Telemetry. The message keeps its trace headers. */
    Spans NONE = new Spans() {
        @Override
        public SendSpan sending(OutboxMessage message, String target) {
            return SendSpan.NONE;
        }

        @Override
        public <T> T processing(Arrived arrived, Callable<T> work) throws Exception {
            return work.call();
        }
    };

    SendSpan sending(OutboxMessage message, String target);

    <T> T processing(Arrived arrived, Callable<T> work) throws Exception;

    /** The span of one send, which ends with close(). */
    interface SendSpan extends AutoCloseable {
        SendSpan NONE = new SendSpan() {
            @Override
            public Map<String, String> headers() {
                return Map.of();
            }

            @Override
            public void failed(Exception e) {}

            @Override
            public void close() {}
        };

        /** The trace headers of this span for the message; empty to keep the message's own. */
        Map<String, String> headers();

        void failed(Exception e);

        @Override
        void close();
    }

    /**
     * A received message, before the consumer handles it.
     *
     * @param target the broker's name of the destination, or null
     * @param id the message id, or null
     * @param traceparent null without a trace
     */
    record Arrived(String target, String id, String correlationId, String traceparent, String tracestate) {}
}

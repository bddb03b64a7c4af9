package dev.cdioutbox.internal.observe.trace;

import java.util.Map;
import java.util.concurrent.Callable;

import dev.cdioutbox.OutboxMessage;

/** The spans of a message's way: one for each time it is sent, and one for each time it is handled. */
public interface Spans {

    /** Where there is no MicroProfile Telemetry: what the message carries is passed on. */
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

    /** One send. It ends when it is closed. */
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

        /** What the message has to carry, so that its consumer goes on from here; empty for what it carries already. */
        Map<String, String> headers();

        void failed(Exception e);

        @Override
        void close();
    }

    /**
     * A message that is about to be handled.
     *
     * @param target the destination's name, as the broker knows it; or null
     * @param id its message id, or null
     * @param traceparent null if it belongs to no trace
     */
    record Arrived(String target, String id, String correlationId, String traceparent, String tracestate) {}
}

package dev.cdioutbox.internal.observe.trace;

import java.util.Map;
import java.util.concurrent.Callable;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;

/**
 * Creates the spans of a message: one for each send, and one for each time a consumer handles it. Without MicroProfile
 * Telemetry, or if the application does not see OpenTelemetry's API, there are no spans, and the message keeps its trace
 * headers.
 */
@ApplicationScoped
public class Traces {
    @Inject
    Instance<Object> beans;

    /** Null without OpenTelemetry. */
    private OpenTelemetrySpans spans;

    @PostConstruct
    void look() {
        try {
            spans = OpenTelemetrySpans.of(beans);
        } catch (LinkageError absent) {
            spans = null;
        }
    }

    /**
     * Begins the span of a send.
     *
     * @param destination where the message is sent
     * @param target the broker's name of the destination, or null
     */
    public SendSpan sending(OutboxMessage message, DestinationId destination, String transport, String target) {
        return spans == null ? SendSpan.NONE : spans.sending(message, destination, transport, target);
    }

    /** Runs the work for a message in a span that continues the sender's trace. */
    public <T> T processing(Arrived arrived, Callable<T> work) throws Exception {
        return spans == null ? work.call() : spans.processing(arrived, work);
    }

    /** The span of one send, which ends with close(). */
    public interface SendSpan extends AutoCloseable {
        SendSpan NONE = new SendSpan() {};

        /** The trace headers of this span for the message; empty to keep the message's own. */
        default Map<String, String> headers() {
            return Map.of();
        }

        default void failed(Exception e) {}

        @Override
        default void close() {}
    }

    /**
     * A received message, before the consumer handles it.
     *
     * @param target the broker's name of the destination, or null
     * @param id the message id, or null
     * @param traceparent null without a trace
     */
    public record Arrived(String target, String id, String correlationId, String traceparent, String tracestate) {}
}

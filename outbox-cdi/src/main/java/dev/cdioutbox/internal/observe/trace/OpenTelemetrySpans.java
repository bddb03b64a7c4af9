package dev.cdioutbox.internal.observe.trace;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;

import jakarta.enterprise.inject.Instance;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.internal.transport.Traces.SendSpan;
import dev.cdioutbox.spi.DestinationId;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;

/**
 * Creates spans by OpenTelemetry's semantic conventions for messaging. Loaded only if the application sees
 * OpenTelemetry's API.
 */
final class OpenTelemetrySpans {
    private static final String SYSTEM = "messaging.system";

    private static final TextMapGetter<Map<String, String>> FROM_HEADERS = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Map<String, String> headers) {
            return headers.keySet();
        }

        @Override
        public String get(Map<String, String> headers, String name) {
            return headers.get(name);
        }
    };

    private final Tracer tracer;

    OpenTelemetrySpans(Tracer tracer) {
        this.tracer = tracer;
    }

    /** @return null without MicroProfile Telemetry */
    static OpenTelemetrySpans of(Instance<Object> beans) {
        Instance<OpenTelemetry> found = beans.select(OpenTelemetry.class);
        return found.isResolvable() ? new OpenTelemetrySpans(found.get().getTracer("dev.cdioutbox")) : null;
    }

    /**
     * The dispatcher's threads have no trace. The parent span is that of {@code fire()}, from the message's headers.
     */
    SendSpan sending(OutboxMessage message, DestinationId destination, String transport, String target) {
        String id = message.id().toString();
        String correlation = message.context().correlationId();
        Map<String, String> headers = message.context().headers();
        SpanBuilder span = span("send", target, SpanKind.PRODUCER, id, correlation, headers)
                .setAttribute(SYSTEM, transport)
                .setAttribute("cdioutbox.destination.name", destination.toString())
                .setAttribute("cdioutbox.event.type", message.event().type())
                .setAttribute("cdioutbox.attempts", (long) message.delivery().attempts())
                .setAttribute(
                        "messaging.message.body.size", (long) message.body().bytes());
        return new Send(span.startSpan());
    }

    <T> T processing(CausingMessage received, String transport, String target, Callable<T> work) throws Exception {
        Map<String, String> headers = new HashMap<>();
        headers.put("traceparent", received.traceparent());
        headers.put("tracestate", received.tracestate());
        Span span = span("process", target, SpanKind.CONSUMER, received.id(), received.correlationId(), headers)
                .setAttribute(SYSTEM, transport)
                .startSpan();
        Scope current = span.makeCurrent();
        try {
            return work.call();
        } catch (Exception | Error e) {
            fail(span, e);
            throw e;
        } finally {
            current.close();
            span.end();
        }
    }

    private SpanBuilder span(
            String operation,
            String target,
            SpanKind kind,
            String id,
            String correlationId,
            Map<String, String> headers) {
        Context parent = W3CTraceContextPropagator.getInstance().extract(Context.root(), headers, FROM_HEADERS);
        SpanBuilder span = tracer.spanBuilder(target == null ? operation : operation + " " + target)
                .setParent(parent)
                .setSpanKind(kind)
                .setAttribute("messaging.operation.name", operation)
                .setAttribute("messaging.operation.type", operation);
        attribute(span, "messaging.destination.name", target);
        attribute(span, "messaging.message.id", id);
        attribute(span, "messaging.message.conversation_id", correlationId);
        return span;
    }

    private static void attribute(SpanBuilder span, String name, String value) {
        if (value != null) {
            span.setAttribute(name, value);
        }
    }

    private static void fail(Span span, Throwable e) {
        span.setStatus(StatusCode.ERROR).setAttribute("error.type", e.getClass().getName());
    }

    private static final class Send implements SendSpan {
        private final Span span;

        private Send(Span span) {
            this.span = span;
        }

        @Override
        public Map<String, String> headers() {
            Map<String, String> headers = new HashMap<>();
            W3CTraceContextPropagator.getInstance()
                    .inject(Context.root().with(span), headers, (carrier, name, value) -> carrier.put(name, value));
            return headers;
        }

        @Override
        public void failed(Exception e) {
            fail(span, e);
        }

        @Override
        public void close() {
            span.end();
        }
    }
}

package dev.cdioutbox.internal.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;

import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.internal.transport.Traces.SendSpan;
import dev.cdioutbox.spi.DestinationId;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import org.junit.jupiter.api.Test;

/** Guards the spans with the API of OpenTelemetry alone, which records nothing and propagates the given trace. */
class OpenTelemetrySpansTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "00-" + TRACE + "-b7ad6b7169203331-01";

    private static final DestinationId LEDGER = DestinationId.of("billing", "ledger");

    private final Map<Object, Object> attributes = new HashMap<>();
    private final OpenTelemetrySpans spans =
            new OpenTelemetrySpans(OpenTelemetry.noop().getTracer("test"));

    @Test
    void whatIsDoneForAMessageIsDoneInItsTrace() throws Exception {
        SpanContext during = spans.processing(
                received("1", PARENT), "jms", "orders", () -> Span.current().getSpanContext());

        assertThat(during.getTraceId()).isEqualTo(TRACE);
        assertThat(Span.current().getSpanContext().isValid()).as("afterwards").isFalse();
    }

    @Test
    void traceEndsThoughTheWorkFails() {
        assertThatThrownBy(() -> spans.processing(received(null, PARENT), "jms", null, () -> {
                    throw new IllegalStateException("no work today");
                }))
                .hasMessage("no work today");
        assertThat(Span.current().getSpanContext().isValid()).isFalse();
    }

    @Test
    void messageWithoutATraceIsHandledAndSentAllTheSame() throws Exception {
        assertThat(spans.<String>processing(received(null, null), "jms", null, () -> "done"))
                .isEqualTo("done");
        try (SendSpan span = spans.sending(TestMessages.stored(1, "a", 0), LEDGER, "jms", "orders")) {
            assertThat(span.headers()).isEmpty();
        }
    }

    /** As metrics do: two outboxes may have destinations of one name. */
    @Test
    void spanNamesTheDestinationWithItsOutbox() {
        new OpenTelemetrySpans(recording())
                .sending(TestMessages.stored(1, "a", 0), LEDGER, "jms", "orders")
                .close();

        assertThat(attributes).containsEntry("cdioutbox.destination.name", "billing/ledger");
    }

    @Test
    void spanNamesTheTransportThatHasBroughtTheMessage() throws Exception {
        new OpenTelemetrySpans(recording()).processing(received("1", PARENT), "local", "shipping", () -> null);

        assertThat(attributes).containsEntry("messaging.system", "local");
    }

    private Tracer recording() {
        return name -> (SpanBuilder) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {SpanBuilder.class}, (builder, method, arguments) -> {
                    if (method.getName().equals("setAttribute")) {
                        attributes.put(arguments[0], arguments[1]);
                    }
                    return method.getReturnType() == Span.class ? Span.getInvalid() : builder;
                });
    }

    @Test
    void thereAreNoSpansWhereTelemetryIsNot() throws Exception {
        TelemetryTraces without = new TelemetryTraces();
        assertThat(without.<String>processing(received(null, PARENT), "jms", null, () -> "done"))
                .isEqualTo("done");
        try (SendSpan span = without.sending(TestMessages.stored(1, "a", 0), LEDGER, "jms", "orders")) {
            assertThat(span.headers()).isEmpty();
        }
    }

    private static CausingMessage received(String id, String traceparent) {
        return new CausingMessage(id, null, null, traceparent, null);
    }
}

package dev.cdioutbox.internal.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cdioutbox.internal.observe.trace.Traces.Arrived;
import dev.cdioutbox.internal.observe.trace.Traces.SendSpan;
import dev.cdioutbox.internal.store.TestMessages;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import org.junit.jupiter.api.Test;

/** Guards the spans with the API of OpenTelemetry alone, which records nothing and propagates the given trace. */
class OpenTelemetrySpansTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "00-" + TRACE + "-b7ad6b7169203331-01";

    private final OpenTelemetrySpans spans = new OpenTelemetrySpans(OpenTelemetry.noop());

    @Test
    void whatIsDoneForAMessageIsDoneInItsTrace() throws Exception {
        SpanContext during = spans.processing(new Arrived("orders", "1", null, PARENT, null), () -> Span.current()
                .getSpanContext());

        assertThat(during.getTraceId()).isEqualTo(TRACE);
        assertThat(Span.current().getSpanContext().isValid()).as("afterwards").isFalse();
    }

    @Test
    void traceEndsThoughTheWorkFails() {
        assertThatThrownBy(() -> spans.processing(new Arrived(null, null, null, PARENT, null), () -> {
                    throw new IllegalStateException("no work today");
                }))
                .hasMessage("no work today");
        assertThat(Span.current().getSpanContext().isValid()).isFalse();
    }

    @Test
    void messageWithoutATraceIsHandledAndSentAllTheSame() throws Exception {
        assertThat(spans.<String>processing(new Arrived(null, null, null, null, null), () -> "done"))
                .isEqualTo("done");
        try (SendSpan span = spans.sending(TestMessages.stored(1, "a", 0), "jms", "orders")) {
            assertThat(span.headers()).isEmpty();
        }
    }

    @Test
    void thereAreNoSpansWhereTelemetryIsNot() throws Exception {
        Traces without = new Traces();
        assertThat(without.<String>processing(new Arrived(null, null, null, PARENT, null), () -> "done"))
                .isEqualTo("done");
        try (SendSpan span = without.sending(TestMessages.stored(1, "a", 0), "jms", "orders")) {
            assertThat(span.headers()).isEmpty();
        }
    }
}

package dev.cdioutbox.internal.capture.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.capture.TestFactory;
import dev.cdioutbox.internal.capture.TextSerializer;
import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.transport.CausingMessage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import org.junit.jupiter.api.Test;

/** Guards that a message carries the trace of its caller. */
class TraceHeadersTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";
    private static final String PARENT = "00-" + TRACE + "-" + SPAN + "-01";
    private static final TraceState STATE =
            TraceState.builder().put("vendor", "1").build();

    private final EventMetadata metadata =
            new EventMetadata("shop.Placed", new Event("placed", 1, null, null), List.of("default"));

    @OutboxEvent
    record Placed() {}

    @Test
    void traceOfTheCallerIsStoredAndItsIdCorrelates() {
        in(span(STATE), this::describe);
        assertThat(metadata.context())
                .isEqualTo(new Context(TRACE, null, null, Map.of("traceparent", PARENT, "tracestate", "vendor=1")));
    }

    @Test
    void traceWithoutAStateHasNone() {
        in(span(TraceState.getDefault()), this::describe);
        assertThat(metadata.headers()).containsOnlyKeys("traceparent");
    }

    @Test
    void callerWithoutATraceLeavesEverythingAsItIs() {
        describe();
        in(Span.getInvalid(), this::describe);
        assertThat(metadata.context()).isEqualTo(Context.NONE);
    }

    @Test
    void correlationThatIsKnownStays() {
        metadata.correlationId("of the message that is handled");
        in(span(STATE), this::describe);
        assertThat(metadata.correlationId()).isEqualTo("of the message that is handled");
    }

    @Test
    void enricherHasTheLastWord() {
        MessageFactory factory = TestFactory.of(
                TestConfig.of(),
                TextSerializer.ofToString(),
                new TraceHeaders(),
                (event, data) -> data.correlationId("own"));
        in(span(STATE), () -> assertThat(factory.messages(EventType.of(Placed.class), new Placed()))
                .extracting(message -> message.context().correlationId())
                .containsExactly("own"));
    }

    /**
     * A state belongs to its trace. With the state of another trace, its vendor would see spans that it does not know.
     */
    @Test
    void traceOfTheCallerTakesThePlaceOfTheMessagesTraceAsAWhole() throws Exception {
        CausingMessage handled = new CausingMessage("id", null, null, "00-other", "other=1");
        handled.during(() -> {
            new Causation(() -> null).describe("event", metadata);
            in(span(TraceState.getDefault()), this::describe);
            return null;
        });
        assertThat(metadata.headers()).isEqualTo(Map.of("traceparent", PARENT));
    }

    private void describe() {
        new TraceHeaders().describe("event", metadata);
    }

    private static Span span(TraceState state) {
        return Span.wrap(SpanContext.create(TRACE, SPAN, TraceFlags.getSampled(), state));
    }

    private static void in(Span span, Runnable work) {
        io.opentelemetry.context.Context.root().with(span).wrap(work).run();
    }
}

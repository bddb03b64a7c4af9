package dev.cdioutbox.internal.capture.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.transport.CausingMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that an event names the message whose handling caused it. */
class CausationTest {
    private static final CausingMessage FIRST =
            new CausingMessage("first", "correlation", "tenant", "00-trace", "state=1");
    private static final CausingMessage SECOND = new CausingMessage("second", null, null, null, null);

    @Test
    void eventIsCausedByTheMessageThatIsHandled() throws Exception {
        assertThat(FIRST.during(CausationTest::captured))
                .isEqualTo(new Context(
                        "correlation", "first", "tenant", Map.of("traceparent", "00-trace", "tracestate", "state=1")));
    }

    @Test
    void eventThatNoMessageCausedSaysNothing() {
        assertThat(captured()).isEqualTo(Context.NONE);
    }

    @Test
    void innerMessageIsTheCauseUntilItIsHandled() throws Exception {
        FIRST.during(() -> {
            assertThat(SECOND.during(CausationTest::captured)).isEqualTo(new Context(null, "second", null, Map.of()));
            assertThat(captured().causationId()).isEqualTo("first");
            return null;
        });
        assertThat(captured().causationId()).isNull();
    }

    @Test
    void failureEndsTheHandlingToo() throws Exception {
        FIRST.during(() -> {
            assertThatThrownBy(() -> SECOND.during(CausationTest::fail)).isInstanceOf(IOException.class);
            assertThat(captured().causationId()).isEqualTo("first");
            return null;
        });
        assertThatThrownBy(() -> FIRST.during(CausationTest::fail)).isInstanceOf(IOException.class);
        assertThat(captured().causationId()).isNull();
    }

    @Test
    void otherThreadsHandleOtherMessages() throws Exception {
        AtomicReference<Context> seen = new AtomicReference<>();
        FIRST.during(() -> {
            Thread other = new Thread(() -> seen.set(captured()));
            other.start();
            other.join();
            return null;
        });
        assertThat(seen).hasValue(Context.NONE);
    }

    @Test
    void foreignIdThatJustFitsIsKept() throws Exception {
        String id = "x".repeat(255);

        assertThat(new CausingMessage(id, id, id, null, null).during(CausationTest::captured))
                .isEqualTo(new Context(id, id, id, Map.of()));
    }

    /** Otherwise the foreign id would fail the handling of its message, at each redelivery. */
    @ParameterizedTest
    @ValueSource(strings = {"too long", "a\0b"})
    void foreignIdThatCannotBeStoredIsLeftOut(String kind) throws Exception {
        String id = kind.equals("too long") ? "x".repeat(256) : kind;

        assertThat(new CausingMessage(id, id, id, null, null).during(CausationTest::captured))
                .isEqualTo(Context.NONE);
    }

    @Test
    void traceThatCannotBeStoredIsLeftOutAsAWhole() throws Exception {
        assertThat(new CausingMessage(null, null, null, "0".repeat(513), "state=1").during(CausationTest::captured))
                .isEqualTo(Context.NONE);
    }

    @Test
    void eventOfAHandlerIsOneGenerationYounger() throws Exception {
        assertThat(generation(1).during(CausationTest::captured).headers()).containsEntry("generation", "2");
        assertThat(generation(0).during(CausationTest::captured).headers()).isEmpty();
        assertThatThrownBy(() -> generation(100).during(CausationTest::captured))
                .isInstanceOf(EventRefusedException.class)
                .hasMessageStartingWith("OBX-0135")
                .hasMessageContaining("a chain of 100 messages");
    }

    @Test
    void messageOfTheTransactionIsTheCauseAtItsEnd() {
        assertThat(contextOf(() -> FIRST).correlationId()).isEqualTo("correlation");
    }

    private static CausingMessage generation(int number) {
        return new CausingMessage("id", null, null, null, null, number);
    }

    private static Context captured() {
        return contextOf(() -> null);
    }

    private static Context contextOf(Supplier<CausingMessage> ofTransaction) {
        EventMetadata metadata =
                new EventMetadata("shop.Placed", new Event("placed", 1, null, null), List.of("default"));
        new Causation(ofTransaction).describe("event", metadata);
        return metadata.context();
    }

    private static Object fail() throws IOException {
        throw new IOException("handling failed");
    }
}

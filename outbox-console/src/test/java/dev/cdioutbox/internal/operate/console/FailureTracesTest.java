package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.Test;

/** Guards that the console knows where the last messages failed, and that a receiver that refuses all does not fill the memory. */
class FailureTracesTest {
    private final FailureTraces traces = new FailureTraces();

    @Test
    void equalTracesAreOneAndTheLastFailureCounts() {
        OutboxMessage first = message();
        OutboxMessage second = message();
        RuntimeException here = new IllegalStateException("refused");
        charge(first, new IllegalArgumentException("refused"));
        charge(first, here);
        charge(second, here);

        FailureTraces.Trace trace = traces.of(first.id().toString());

        assertThat(trace.text())
                .startsWith(
                        "java.lang.IllegalStateException\n  at " + getClass().getName());
        assertThat(trace.messages()).isEqualTo(2);
        assertThat(traces.of("unknown")).isNull();
    }

    @Test
    void oldestIsForgottenFirst() {
        OutboxMessage first = message();
        OutboxMessage second = message();
        charge(first, new IllegalStateException());
        charge(second, new IllegalStateException());
        for (int more = 0; more < FailureTraces.KEPT - 1; more++) {
            charge(message(), new IllegalStateException());
        }

        assertThat(traces.of(first.id().toString())).isNull();
        assertThat(traces.of(second.id().toString())).isNotNull();
    }

    private void charge(OutboxMessage message, Throwable cause) {
        traces.charged(DestinationId.ofDefaultOutbox("default"), message, null, Instant.EPOCH, cause);
    }

    private static OutboxMessage message() {
        return TestMessages.stored(1, "key", 0);
    }
}

package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.deadletter.DeadLetter;
import org.junit.jupiter.api.Test;

/** Guards that the list of dead letters says why the consumer failed, which the broker's own reason does not. */
class DeadLetterApiTest {
    private final ConsumerHistory history = new ConsumerHistory();

    @Test
    void lastFailureOfEachMessageIsBesideTheList() {
        history.failed(
                "shipping", new ConsumedMessage("4711", "OrderPlaced", null), new IllegalStateException("too heavy"));
        history.failed(
                "shipping", new ConsumedMessage("4711", "OrderPlaced", null), new IllegalStateException("too large"));

        assertThat(DeadLetterApi.failures(history, List.of(letter("4711"), letter("4712"), letter(null))))
                .singleElement()
                .satisfies(failure -> {
                    assertThat(failure.message()).isEqualTo("4711");
                    assertThat(failure.reason()).contains("too large");
                });
    }

    private static DeadLetter letter(String message) {
        return new DeadLetter(
                "ID:1", message, "exceptions", null, null, null, Instant.EPOCH, null, "CWSIK0035E", null, Map.of());
    }
}

package dev.cdioutbox.internal.operate.console;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.Test;

/** Guards that the chart counts messages, as its title says. */
class ThroughputHistoryTest {
    private static final DestinationId DEFAULT = ofDefaultOutbox("default");

    @Test
    void failuresAreMessagesAndNotRuns() {
        ThroughputHistory history = new ThroughputHistory();
        history.gauges = new Gauges();
        history.outboxes = new Outboxes(List.of());
        history.listen();

        history.failed(DEFAULT, 500, new IllegalStateException("refused"));
        history.charged(
                DEFAULT,
                TestMessages.stored(1, "a", 0),
                new Retry(1, OutboxStatus.FAILED, 1, Duration.ZERO, "refused", false),
                Instant.EPOCH,
                new IllegalStateException("refused"));
        history.unreadable(DEFAULT, 2, "no JSON");
        history.ticked();

        assertThat(history.samples())
                .extracting(ThroughputHistory.Sample::failures)
                .containsExactly(502L);
    }
}

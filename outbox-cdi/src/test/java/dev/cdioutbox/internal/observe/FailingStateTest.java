package dev.cdioutbox.internal.observe;

import static dev.cdioutbox.internal.dispatch.FakeBroker.failure;
import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards how long the gauges call a destination failing that refuses a message at its last attempt. */
@Tag("database")
class FailingStateTest {
    private static final int MAX_ATTEMPTS = 3;

    @AutoClose
    private final DispatchScene scene =
            new DispatchScene("outbox.partitions", "1", "outbox.retry.max-attempts", String.valueOf(MAX_ATTEMPTS));

    @Test
    void destinationIsFailingUntilAMessageIsDeliveredOrTheNextAttemptIsOverdue() {
        AtomicLong nanos = new AtomicLong();
        Gauges gauges = new Gauges(nanos::get);
        DestinationWorker node = DispatchScene.workerOf(scene.dispatcher(scene.broker, nanos::get, List.of(gauges)));
        scene.broker.onSend = message -> {
            if (message.body().text().equals("poison")) {
                throw failure(Blame.UNKNOWN);
            }
        };
        scene.write("a", "poison");
        for (int attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
            node.poll();
            scene.database.makeDue();
        }
        DestinationState state = gauges.destination(ofDefaultOutbox(TestMessages.DESTINATION));
        assertThat(state.isFailing()).isFalse();

        node.poll();
        assertThat(state.failing().toString())
                .startsWith("OBX-0450: destination 'default'")
                .contains("refused by UNKNOWN");
        assertThat(state.lastFailure().reason()).isEqualTo(state.failing().toString());
        assertThat(state.failedRuns()).as("what readiness shows").isZero();
        scene.write("b", "proof");
        node.poll();
        assertThat(state.failing()).isNull();
        assertThat(state.lastFailure()).isNull();

        scene.database.makeDue();
        scene.write("c", "poison");
        for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            node.poll();
            scene.database.makeDue();
        }
        assertThat(state.isFailing()).isTrue();
        nanos.addAndGet(scene.config.retry().maxDelay().multipliedBy(3).toNanos());
        assertThat(state.isFailing()).as("an operator may have discarded it").isFalse();
    }
}

package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards the outcome of an operation on a message that is being sent. */
@ParameterizedClass
@CsvSource({"H2, exactly-once", "POSTGRESQL, exactly-once", "H2, at-least-once", "POSTGRESQL, at-least-once"})
@Tag("database")
class OperatorDuringDispatchTest {
    private final boolean exactlyOnce;

    @AutoClose
    private final DispatchScene scene;

    private final List<String> heard = new ArrayList<>();
    private int sends;

    OperatorDuringDispatchTest(Database kind, String delivery) {
        exactlyOnce = delivery.equals("exactly-once");
        scene = new DispatchScene(
                new TestDatabase(kind), "outbox.dispatcher.delivery", delivery, "outbox.retry.max-attempts", "2");
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void discardedTooLate(DestinationId destination, OutboxMessage message) {
                heard.add("too late: " + message.body().text());
            }

            @Override
            public void charged(
                    DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {
                heard.add(retry.status() + ": " + message.body().text());
            }

            @Override
            public void failed(DestinationId destination, int messages, Throwable cause) {
                heard.add("failed: " + cause);
            }
        });
    }

    /**
     * If the send can be rolled back, the discarded message is not sent; otherwise a listener gets an event. The other
     * messages are sent once, in the same run.
     */
    @Test
    void messageThatIsDiscardedCostsNoOtherOne() {
        scene.write(keyed("a", "b", "c"));
        duringTheFirstSendOf("b", MessageOperation.DISCARD, false);

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts())
                .containsExactlyInAnyOrderElementsOf(exactlyOnce ? List.of("a", "c") : List.of("a", "b", "c"));
        assertThat(scene.column("status", "b")).isEqualTo(exactlyOnce ? "DISCARDED" : "PUBLISHED");
        assertThat(scene.column("status", "a")).isEqualTo("PUBLISHED");
        assertThat(heard).isEqualTo(exactlyOnce ? List.of() : List.of("too late: b"));
    }

    @Test
    void messageThatIsDiscardedAndFailsStaysDiscarded() {
        scene.write(keyed("a", "b", "c"));
        duringTheFirstSendOf("b", MessageOperation.DISCARD, true);

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactlyInAnyOrder("a", "c");
        assertThat(scene.column("status", "b")).isEqualTo("DISCARDED");
        assertThat(heard).isEmpty();
    }

    @Test
    void messageThatIsRetriedInItsLastAttemptHasAllOfThemBeforeIt() {
        scene.write(keyed("a"));
        scene.broker.onSend = message -> fail(message, "a");
        scene.write(keyed("z"));
        scene.run();
        assertThat(scene.column("status", "a")).isEqualTo("FAILED");
        heard.clear();
        scene.database.makeDue();
        scene.write(keyed("y"));
        duringTheFirstSendOf("a", MessageOperation.RETRY, true);

        assertThat(scene.run()).isNull();

        assertThat(heard).isEmpty();
        assertThat(scene.broker.texts()).containsExactlyInAnyOrder("a", "y", "z");
        assertThat(scene.column("attempts", "a")).isEqualTo("1");
    }

    private void duringTheFirstSendOf(String text, MessageOperation change, boolean fails) {
        scene.broker.onSend = message -> {
            if (message.body().text().equals(text) && sends++ == 0) {
                CompletableFuture.runAsync(() -> assertThat(change(
                                        scene.store,
                                        change,
                                        OutboxFilter.all(),
                                        OutboxPageRequest.ofSequence(message.sequence())))
                                .hasSize(1))
                        .join();
                if (fails) {
                    throw FakeBroker.failure(Blame.UNKNOWN);
                }
            }
        };
    }

    private static void fail(OutboxMessage message, String text) throws PublishException {
        if (message.body().text().equals(text)) {
            throw FakeBroker.failure(Blame.UNKNOWN);
        }
    }
}

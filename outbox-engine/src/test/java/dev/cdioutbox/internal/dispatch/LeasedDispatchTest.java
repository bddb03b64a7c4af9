package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guards dispatch by lease with a slow broker, and with a node that loses its lease. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class LeasedDispatchTest {
    private static final String PAST = "UPDATE shop_partition SET leased_until = DATEADD(HOUR, -1, CURRENT_TIMESTAMP)"
            + " WHERE leased_until IS NOT NULL";
    private static final List<String> TEN =
            IntStream.range(0, 10).mapToObj(String::valueOf).toList();

    @AutoClose
    private final DispatchScene scene = new DispatchScene(
            "outbox.dispatcher.delivery", "at-least-once",
            "outbox.dispatcher.lease", "PT1M",
            "outbox.partitions", "1");

    private final Dispatcher other = scene.dispatcher("node-2");
    private final DestinationWorker otherWorker = DispatchScene.workerOf(other);

    /** The claim holds neither a connection nor a row lock: only the lease keeps the other node out. */
    @Test
    void batchBeingSentCannotBeClaimedByAnotherNode() {
        scene.write(numbered(0, 10, 1));
        scene.broker.onSend = message -> elsewhere(this::runOther);

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).isEqualTo(TEN);
        assertThat(scene.database.query("SELECT id FROM shop_partition WHERE owner IS NOT NULL"))
                .as("given back")
                .isEmpty();
    }

    /** Liberty keeps a connection that was used outside of a transaction until the timer's call ends. */
    @Test
    void renewalKeepsNoConnection() {
        scene.write(numbered(0, 1, 1));
        DestinationWorker worker = worker(scene.transactions);
        AtomicInteger kept = new AtomicInteger(-1);
        scene.broker.onSend = message -> {
            int before = scene.transactions.keptForTheCaller.get();
            int calls = scene.transactions.outsideCalls();
            elsewhere(scene.dispatcher::renewLeases);
            assertThat(scene.transactions.outsideCalls()).isEqualTo(calls + 1);
            kept.set(scene.transactions.keptForTheCaller.get() - before);
        };

        assertThat(worker.poll()).isNull();
        assertThat(kept).hasValue(0);
    }

    /** A lost lease costs one more copy of the batch, and no further ones. */
    @Test
    void nodeThatIsPausedLongerThanItsLeaseSettlesNothing() {
        scene.write(numbered(0, 10, 1));
        AtomicInteger sends = new AtomicInteger();
        scene.broker.onSend = message -> {
            if (sends.getAndIncrement() == 0) {
                scene.database.update(PAST);
                elsewhere(this::runOther);
            }
        };

        assertThat(scene.run()).rootCause().hasMessageStartingWith("OBX-0312");
        assertThat(scene.broker.texts()).hasSize(20);
        assertThat(scene.broker.texts().subList(0, 10)).isEqualTo(TEN);
        assertThat(scene.database.query("SELECT DISTINCT attempts FROM shop_message_view"))
                .containsExactly("1");
        scene.broker.onSend = message -> sends.incrementAndGet();
        assertThat(scene.run()).isNull();
        assertThat(sends).hasValue(20);
    }

    /** The other node has charged the attempt already. */
    @Test
    void nodeThatIsPausedLongerThanItsLeaseChargesNothing() {
        scene.write(numbered(0, 1, 1));
        scene.broker.onSend = message -> {
            if (scene.broker.onSend != null) {
                scene.broker.onSend = null;
                scene.database.update(PAST);
                elsewhere(this::runOther);
            }
            throw FakeBroker.failure(Blame.MESSAGE);
        };

        assertThat(scene.run()).rootCause().hasMessageStartingWith("OBX-0312");
    }

    private void runOther() {
        assertThat(otherWorker.poll()).isNull();
    }

    /** On another thread, and so outside of this thread's transaction. */
    private static void elsewhere(Runnable what) {
        CompletableFuture.runAsync(what).join();
    }

    private DestinationWorker worker(Transactions transactions) {
        return DispatchScene.workerOf(new Dispatcher(
                scene.store,
                Map.of("jms", scene.broker),
                new ThisNode("node-3", "shop", "host", "server", 3, "1.0"),
                scene::inForce,
                new Environment(transactions, scene::isStopping),
                () -> Duration.ofHours(1)));
    }
}

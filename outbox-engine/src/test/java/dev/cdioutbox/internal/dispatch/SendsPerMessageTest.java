package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.FakeBroker.failure;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Guards how often two nodes send a message: at most max-attempts times, and once more for each outage that a node
 * meets, and for each last attempt without a proof that the destination works. The broker refuses the messages 0 to 499 for an unknown reason.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class SendsPerMessageTest {
    static {
        // The server's start would exceed the timeout of the first test.
        Database.POSTGRESQL.start();
    }

    private static final int MAX_ATTEMPTS = 3;

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void healthyKeysAreDeliveredBeforeAnyOf500RefusedMessagesIsSentAgain(Database kind) throws Exception {
        try (DispatchScene scene = scene(kind)) {
            List<Dispatcher> nodes = List.of(scene.dispatcher("node-1"), scene.dispatcher("node-2"));
            List<DestinationWorker> workers =
                    nodes.stream().map(DispatchScene::workerOf).toList();
            scene.write(numbered(0, 1000, 1000));
            scene.broker.onSend = message -> refuse(message);

            runTogether(workers);

            assertThat(scene.broker.texts())
                    .hasSize(500)
                    .doesNotHaveDuplicates()
                    .noneMatch(SendsPerMessageTest::isRefused);
            assertThat(sends(scene, true)).containsOnly(1);
            assertThat(sends(scene, false)).as("once more beside refused ones").allMatch(sends -> sends <= 2);

            for (int attempt = 2; attempt <= MAX_ATTEMPTS; attempt++) {
                scene.database.makeDue();
                runTogether(workers);
            }
            assertThat(sends(scene, true)).containsOnly(MAX_ATTEMPTS);
            assertThat(scene.database.statusesAndAttempts())
                    .as("nothing was delivered since the second attempt")
                    .containsExactly("FAILED" + (MAX_ATTEMPTS - 1), "PUBLISHED1");

            scene.write("healthy", "1000");
            assertThat(workers.get(0).poll()).isNull();
            scene.database.makeDue();
            assertThat(workers.get(0).poll()).isNull();
            assertThat(sends(scene, true)).containsOnly(MAX_ATTEMPTS + 1);
            assertThat(scene.database.statusesAndAttempts()).containsExactly("ABANDONED" + MAX_ATTEMPTS, "PUBLISHED1");
        }
    }

    /** The claim keeps the others away from what it has not yet found out, so that each does not find it out by itself. */
    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void twoNodesOfTwoThreadsSendNoMessageMoreOftenBesideThoseThatAreRefusedAtTheCommit(Database kind)
            throws Exception {
        try (DispatchScene scene = scene(kind, "outbox.dispatcher.concurrency", "2")) {
            ExecutorService threads = Executors.newCachedThreadPool();
            List<DestinationWorker> workers = new ArrayList<>();
            for (String name : List.of("node-1", "node-2")) {
                Dispatcher node = scene.dispatcher(name);
                node.useThreads(threads::execute, Duration.ofMinutes(1));
                workers.add(DispatchScene.workerOf(node));
            }
            scene.write(numbered(0, 1000, 1000));
            for (int refused = 50; refused < 1000; refused += 100) {
                scene.broker.refusedAtCommit.add(String.valueOf(refused));
            }

            runTogether(workers);
            await().until(() -> scene.broker.delivered.size() == 990);
            threads.shutdown();

            assertThat(scene.broker.texts()).doesNotHaveDuplicates();
            assertThat(scene.broker.sends.values())
                    .as("once for each halving of 500, and twice more alone")
                    .allMatch(sends -> sends <= 12);
        }
    }

    /** Each is a transaction, for which the healthy messages of the claim wait. */
    @Test
    void messageThatIsRefusedAtTheCommitCostsTwoProbes() {
        try (DispatchScene scene = scene(Database.H2)) {
            scene.broker.refusedAtCommit.add("50");
            scene.write(numbered(0, 100, 100));

            assertThat(DispatchScene.workerOf(scene.dispatcher).poll()).isNull();

            assertThat(scene.broker.texts()).hasSize(99);
            assertThat(scene.broker.probes).as("with the proof of exactly-once").hasValue(3);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void outageCostsEachNodeOneSendOfAMessageAndNoAttempt(Database kind) {
        try (DispatchScene scene = scene(kind)) {
            List<Dispatcher> nodes = List.of(scene.dispatcher("node-1"), scene.dispatcher("node-2"));
            List<DestinationWorker> workers =
                    nodes.stream().map(DispatchScene::workerOf).toList();
            AtomicInteger outages = new AtomicInteger();
            scene.write(numbered(499, 1, 500));
            for (int outage = 0; outage < 3; outage++) {
                scene.broker.onSend = message -> {
                    scene.broker.probeRefused = "the broker is away";
                    throw failure(Blame.UNKNOWN);
                };
                for (int node = 0; node < 2; node++) {
                    // Both nodes meet the outage.
                    scene.broker.probeRefused = null;
                    outages.incrementAndGet();
                    for (int run = 0; run < 5; run++) {
                        assertThat(workers.get(node).poll()).isNotNull();
                    }
                }
                assertThat(attempts(scene)).as("charged before the outage").isEqualTo(outage);
                scene.broker.probeRefused = null;
                scene.broker.onSend = SendsPerMessageTest::refuse;
                scene.write("healthy", "1000");
                assertThat(workers.get(0).poll()).isNull();
                assertThat(workers.get(1).poll()).isNull();
                scene.database.makeDue();
            }

            assertThat(scene.column("status || attempts", "499")).isEqualTo("ABANDONED" + MAX_ATTEMPTS);
            assertThat(scene.broker.sends).containsEntry("499", MAX_ATTEMPTS + outages.get());
        }
    }

    private static DispatchScene scene(Database kind, String... more) {
        List<String> all = new ArrayList<>(
                List.of("outbox.partitions", "8", "outbox.retry.max-attempts", String.valueOf(MAX_ATTEMPTS)));
        all.addAll(List.of(more));
        return new DispatchScene(
                kind == Database.H2 ? new TestDatabase() : new TestDatabase(kind), all.toArray(String[]::new));
    }

    /**
     * Runs all workers at once, and then the first one again: a node skips the partitions that the other one has
     * claimed.
     */
    private static void runTogether(List<DestinationWorker> workers) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<Throwable>> running = new ArrayList<>();
            for (DestinationWorker worker : workers) {
                running.add(threads.submit(worker::poll));
            }
            for (Future<Throwable> node : running) {
                assertThat(node.get()).isNull();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(workers.get(0).poll()).isNull();
    }

    private static int attempts(DispatchScene scene) {
        return Integer.parseInt(scene.column("attempts", "499"));
    }

    private static List<Integer> sends(DispatchScene scene, boolean refused) {
        List<Integer> sends = new ArrayList<>();
        scene.broker.sends.forEach((text, count) -> {
            if (isRefused(text) == refused) {
                sends.add(count);
            }
        });
        return sends;
    }

    private static void refuse(OutboxMessage message) throws PublishException {
        if (isRefused(message.body().text())) {
            throw failure(Blame.UNKNOWN);
        }
    }

    private static boolean isRefused(String text) {
        return Integer.parseInt(text) < 500;
    }
}

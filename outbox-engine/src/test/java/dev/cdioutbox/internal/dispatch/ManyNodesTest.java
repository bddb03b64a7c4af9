package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guards that many dispatchers on one PostgreSQL send each message once and in the order of its key. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class ManyNodesTest {
    private static final Duration SOON = Duration.ofMinutes(1);
    private static final Duration MOMENT = Duration.ofMillis(5);

    @AutoClose
    private final DispatchScene scene = new DispatchScene(new TestDatabase(Database.POSTGRESQL));

    private final OutboxConfig config =
            DispatchScene.config("outbox.dispatcher.max-partitions", "8", "outbox.dispatcher.batch-size", "100");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void eightDispatchersSendEachOfTenThousandRowsOnce() throws Exception {
        for (int first = 0; first < 10_000; first += 1000) {
            scene.write(numbered(first, 1000, 400));
        }
        Set<String> senders = ConcurrentHashMap.newKeySet();
        scene.broker.onSend = message -> {
            senders.add(Thread.currentThread().getName());
            if (senders.size() < 2) {
                // A batch holds 8 of 64 partitions, so another node can send, however late its thread begins.
                await().atMost(SOON).pollInterval(MOMENT).until(() -> senders.size() > 1);
            }
        };
        List<Callable<Integer>> nodes = new ArrayList<>();
        for (int node = 0; node < 8; node++) {
            DestinationWorker worker =
                    DispatchScene.workerOf(scene.dispatcher("node-" + node, () -> config, () -> false));
            nodes.add(() -> {
                int failures = 0;
                while (scene.broker.delivered.size() < 10_000) {
                    failures += worker.poll() == null ? 0 : 1;
                }
                return failures;
            });
        }
        for (Future<Integer> failures : threads.invokeAll(nodes)) {
            assertThat(failures.get()).isZero();
        }

        assertThat(scene.broker.texts()).hasSize(10_000).doesNotHaveDuplicates();
        assertThatKeysAreInOrder(scene.broker.delivered);
        assertThat(senders).hasSizeGreaterThan(1);
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PUBLISHED1");
    }

    /** Nodes start, stop in order, and crash in the middle of a batch, while transactions write and roll back. */
    @Test
    void nodesJoinAndLeaveUnderLoad() throws Exception {
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        AtomicBoolean written = new AtomicBoolean();
        AtomicInteger crashedNodes = new AtomicInteger();
        AtomicInteger departures = new AtomicInteger();
        scene.broker.onSend = message -> {
            if (!written.get()
                    && (crashedNodes.get() == 0 || ThreadLocalRandom.current().nextInt(150) == 0)) {
                crashedNodes.incrementAndGet();
                throw new Death();
            }
        };
        List<Future<?>> places = new ArrayList<>();
        for (int place = 0; place < 4; place++) {
            Random own = new Random(random.nextLong());
            places.add(threads.submit(() -> occupy(own, written, departures)));
        }
        Map<String, Integer> promised = write(random);
        await().atMost(SOON).until(() -> crashedNodes.get() > 0);
        written.set(true);
        for (Future<?> place : places) {
            place.get();
        }

        Map<String, List<String>> delivered = scene.broker.delivered.stream()
                .collect(Collectors.groupingBy(
                        m -> m.event().key(), Collectors.mapping(m -> m.body().text(), Collectors.toList())));
        assertThat(delivered.keySet()).as("seed %d", seed).isEqualTo(promised.keySet());
        promised.forEach((key, count) -> assertThat(delivered.get(key))
                .as("seed %d, key %s", seed, key)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, count)
                        .mapToObj(String::valueOf)
                        .toList()));
        assertThat(crashedNodes).hasPositiveValue();
        assertThat(departures).hasPositiveValue();
    }

    /** Returns the model: the number of committed messages of each key. */
    private Map<String, Integer> write(Random random) throws Exception {
        Map<String, Integer> promised = new HashMap<>();
        FakeTransactions business = new FakeTransactions(scene.database.dataSource(), new FakeBroker());
        JdbcOutboxStore store = JdbcOutboxStore.open(
                business.dataSource(),
                scene.config.store(),
                scene.config.destinations().keySet());
        for (int transaction = 0; transaction < 100; transaction++) {
            boolean inVain = random.nextInt(10) == 0;
            Map<String, Integer> now = new HashMap<>(promised);
            List<NewMessage> messages = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                String key = "key-" + random.nextInt(60);
                messages.add(message(key, String.valueOf(now.merge(key, 1, Integer::sum))));
            }
            try {
                business.inNew(() -> {
                    store.capture().write(messages);
                    if (inVain) {
                        throw new IllegalStateException("rolled back");
                    }
                    return null;
                });
                promised = now;
            } catch (IllegalStateException rolledBack) {
                assertThat(inVain).isTrue();
            }
        }
        return promised;
    }

    /** Runs one node after another, until all messages are written and sent. */
    private void occupy(Random random, AtomicBoolean written, AtomicInteger departures) {
        boolean over = false;
        while (!over) {
            boolean last = written.get();
            int batches = random.nextInt(5);
            int[] asked = {0};
            DestinationWorker worker = DispatchScene.workerOf(
                    scene.dispatcher("node-" + random.nextLong(), () -> config, () -> !last && asked[0]++ > batches));
            Throwable end = null;
            while (worker.failures() == 0 && asked[0] <= batches) {
                end = worker.poll();
                if (last) {
                    break;
                }
            }
            if (end instanceof Death) {
                continue;
            }
            departures.incrementAndGet();
            over = last && scene.database.statuses().stream().allMatch("PUBLISHED"::equals);
        }
    }

    private static void assertThatKeysAreInOrder(List<OutboxMessage> delivered) {
        delivered.stream()
                .collect(Collectors.groupingBy(m -> m.event().key()))
                .values()
                .forEach(ofKey ->
                        assertThat(ofKey).extracting(OutboxMessage::sequence).isSorted());
    }

    /** The crash of a process; its connections end with it. */
    private static final class Death extends Error {
        private static final long serialVersionUID = 1L;
    }
}

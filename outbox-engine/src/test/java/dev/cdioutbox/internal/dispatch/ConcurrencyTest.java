package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Guards a worker with several threads: each key keeps its order, and a hanging batch stops neither the other batches
 * nor the polls.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConcurrencyTest {
    static {
        // The server's start would exceed the timeout of the first test.
        Database.POSTGRESQL.start();
    }

    private static final Duration SOON = Duration.ofMinutes(2);
    private static final Duration MOMENT = Duration.ofMillis(5);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger helped = new AtomicInteger();

    @AfterEach
    void end() throws InterruptedException {
        threads.shutdownNow();
        // A thread that is left would log and take connections during the next test.
        assertThat(threads.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
    }

    /** Otherwise the first claims hold all partitions, and the threads of the other nodes find nothing. */
    @Test
    void claimsOfAllNodesShareThePartitions() {
        try (DispatchScene scene = new DispatchScene(new TestDatabase(Database.H2), "outbox.partitions", "64")) {
            List<Integer> claimed = new ArrayList<>();
            scene.dispatcher.addListener(new DispatchListener() {
                @Override
                public void claimed(DestinationId destination, int partitions, Duration took) {
                    claimed.add(partitions);
                }
            });
            for (int node = 2; node <= 8; node++) {
                scene.store
                        .nodes()
                        .writeHeartbeat(new ThisNode("node-" + node, "shop", "host", "server", node, "1.0"), 0);
            }
            scene.dispatcher.checkNodes();
            scene.write(numbered(0, 1000, 1000));

            assertThat(scene.run()).isNull();

            assertThat(claimed).isNotEmpty().allMatch(partitions -> partitions <= 8);
        }
    }

    /** New rows arrive during the sends, and some sends fail. */
    @ParameterizedTest(allowZeroInvocations = true)
    @EachDatabase({Database.H2, Database.POSTGRESQL})
    void everyMessageIsSentOnceAndInTheOrderOfItsKeyWhateverTheThreadsDo(Database kind) {
        long seed = ThreadLocalRandom.current().nextLong();
        try (DispatchScene scene = new DispatchScene(
                new TestDatabase(kind),
                "outbox.dispatcher.concurrency",
                "4",
                "outbox.dispatcher.batch-size",
                "20",
                "outbox.retry.base-delay",
                "PT0.001S",
                "outbox.retry.max-attempts",
                "1000")) {
            AtomicInteger sending = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            scene.broker.onSend = sent -> {
                most.accumulateAndGet(sending.incrementAndGet(), Math::max);
                if (helped.get() > 0 && most.get() < 2) {
                    // The second thread finds other partitions. No send fails before that, so the run cannot end.
                    await().atMost(SOON).pollInterval(MOMENT).until(() -> most.get() > 1);
                }
                LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(1_000_000));
                sending.decrementAndGet();
                if (most.get() > 1 && ThreadLocalRandom.current().nextInt(50) == 0) {
                    throw FakeBroker.failure(Blame.UNKNOWN);
                }
            };
            scene.dispatcher.useThreads(this::help, Duration.ofHours(1));
            Random random = new Random(seed);
            scene.write(some(random, 0, 600));
            threads.execute(() -> scene.run());
            for (int first = 600; first < 1000; first += 100) {
                scene.write(some(random, first, 100));
                if (scene.worker.wake(PartitionRange.ALL)) {
                    threads.execute(() -> scene.run());
                }
            }
            await().atMost(SOON.multipliedBy(2))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> {
                        scene.run();
                        return scene.database.statuses().stream().allMatch("PUBLISHED"::equals);
                    });

            assertThat(scene.broker.texts())
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 1000).mapToObj(String::valueOf).toList());
            scene.broker.delivered.stream()
                    .collect(Collectors.groupingBy(m -> m.event().key()))
                    .values()
                    .forEach(ofKey -> assertThat(ofKey)
                            .as("seed %d", seed)
                            .extracting(OutboxMessage::sequence)
                            .isSorted());
            assertThat(most.get()).as("batches at a time").isBetween(2, 4);
        }
    }

    private static List<NewMessage> some(Random random, int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(i -> message("key-" + random.nextInt(40), String.valueOf(i)))
                .toList();
    }

    /** Otherwise a run in which delayed messages could not be moved would end as a success. */
    @Test
    void failureToMoveDelayedMessagesIsNotForgottenWhenAnotherThreadSucceeds() {
        try (DispatchScene scene = new DispatchScene("outbox.dispatcher.concurrency", "2")) {
            scene.run();
            Terms due = new Terms(Instant.now().minusSeconds(1), null, null);
            scene.write(List.of(terms(message("a", "delayed"), due)));
            AtomicBoolean isFirst = new AtomicBoolean(true);
            scene.dispatcher.addListener(new DispatchListener() {
                @Override
                public void claimed(DestinationId destination, int partitions, Duration took) {
                    scene.transactions.failingOutsideCalls.set(isFirst.get() ? 1 : 0);
                }

                @Override
                public void released(DestinationId destination, int partitions) {
                    if (isFirst.getAndSet(false)) {
                        CompletableFuture.runAsync(scene::run).join();
                    }
                }
            });

            assertThat(scene.run()).hasMessageContaining("refused outside of a transaction");

            assertThat(scene.broker.texts()).containsExactly("delayed");
        }
    }

    @Test
    void batchThatHangsHoldsItsOwnPartitionsAndTheOthersGoOn() throws InterruptedException {
        try (DispatchScene scene = scene()) {
            CountDownLatch release = hangOn(scene, "stuck");
            scene.write("a", "stuck");
            threads.execute(scene::run);
            await().atMost(SOON).until(() -> scene.broker.opened.get() == 1);

            scene.write("b", "1");
            assertThat(scene.worker.wake(PartitionRange.ALL)).isTrue();
            assertThat(scene.run()).isNull();
            // The thread that was woken may have claimed it, and not sent it yet.
            await().atMost(SOON).until(() -> scene.broker.texts().equals(List.of("1")));

            release.countDown();
            await().atMost(SOON).until(() -> scene.broker.texts().contains("stuck"));
        }
    }

    @Test
    void failureBesideAHangingBatchDoesNotStopTheWorker() throws InterruptedException {
        try (DispatchScene scene =
                new DispatchScene("outbox.dispatcher.concurrency", "2", "outbox.dispatcher.interval", "PT0.1S")) {
            CountDownLatch release = hangOn(scene, "stuck");
            scene.write("a", "stuck");
            threads.execute(scene::run);
            await().atMost(SOON).until(() -> scene.broker.opened.get() == 1);
            scene.write("b", "1");
            scene.broker.away = "the broker is away";
            assertThat(scene.run()).isNotNull();
            assertThat(scene.worker.failures()).isEqualTo(1);

            scene.broker.away = null;
            await().atMost(SOON).until(() -> {
                relieve(scene);
                poll(scene);
                return scene.broker.texts().equals(List.of("1"));
            });
            assertThat(scene.worker.failures()).isZero();

            release.countDown();
            await().atMost(SOON).until(() -> scene.broker.texts().contains("stuck"));
            scene.write("a", "2");
            await().atMost(SOON).until(() -> {
                scene.run();
                return scene.broker.texts().equals(List.of("1", "stuck", "2"));
            });
        }
    }

    /** A container does not call a timer while its last call is still running, so no poll comes any more. */
    @Test
    void workerWhoseTimerThreadHangsIsContinuedByAnotherThread() {
        try (DispatchScene scene =
                new DispatchScene("outbox.dispatcher.concurrency", "2", "outbox.dispatcher.interval", "PT0.1S")) {
            // Runs on the calling thread, so that this run has ended before the test reads the state of the worker.
            scene.dispatcher.useThreads(Runnable::run, Duration.ofHours(1));
            failOnce(scene);
            CountDownLatch release = hangOn(scene, "stuck");
            scene.write("a", "stuck");
            threads.execute(() -> poll(scene));
            await().atMost(SOON).until(() -> scene.broker.opened.get() == 1);
            scene.write("b", "1");
            scene.broker.away = "the broker is away";
            assertThat(scene.run()).isNotNull();

            await().atMost(SOON).until(() -> {
                relieve(scene);
                return scene.worker.failures() > 1;
            });
            scene.broker.away = null;
            await().atMost(SOON).until(() -> {
                relieve(scene);
                return scene.broker.texts().equals(List.of("1")) && scene.worker.failures() == 0;
            });
            assertThat(scene.worker.wake(PartitionRange.ALL))
                    .as("a commit is heard again")
                    .isTrue();

            release.countDown();
            await().atMost(SOON).until(() -> scene.broker.texts().contains("stuck"));
        }
    }

    /** Only a poll finds retries, delayed messages and messages of other nodes. */
    @Test
    void whatOnlyAPollFindsIsFoundThoughTheTimerHangsBesideNoFailure() {
        try (DispatchScene scene =
                new DispatchScene("outbox.dispatcher.concurrency", "3", "outbox.dispatcher.interval", "PT0.1S")) {
            // Runs on the calling thread, so that this run has ended before the test reads the state of the worker.
            scene.dispatcher.useThreads(Runnable::run, Duration.ofHours(1));
            failOnce(scene);
            CountDownLatch release = hangOn(scene, "stuck");
            scene.write("a", "stuck");
            threads.execute(() -> poll(scene));
            await().atMost(SOON).until(() -> scene.broker.opened.get() == 1);
            for (String text : List.of("1", "2", "3")) {
                scene.write("b", text);
                await().atMost(SOON).until(() -> {
                    relieve(scene);
                    return scene.broker.texts().contains(text);
                });
            }
            await().atMost(SOON).until(() -> scene.worker.failures() == 0);

            release.countDown();
            await().atMost(SOON).until(() -> scene.broker.texts().contains("stuck"));
        }
    }

    @Test
    void outageIsMetByOneThreadOnly() {
        try (DispatchScene scene = scene()) {
            scene.write(numbered(0, 400, 40));
            AtomicInteger attempts = new AtomicInteger();
            scene.broker.onSend = sent -> {
                attempts.incrementAndGet();
                throw FakeBroker.failure(Blame.DESTINATION);
            };

            assertThat(scene.run()).isNotNull();

            assertThat(helped).hasValue(0);
            assertThat(attempts).hasValue(1);
        }
    }

    @Test
    void threadThatComesAfterTheFailureMakesNoFurtherAttempt() {
        try (DispatchScene scene = scene()) {
            List<Runnable> late = new ArrayList<>();
            scene.dispatcher.useThreads(late::add, Duration.ofHours(1));
            scene.write(numbered(0, 400, 40));
            AtomicInteger sent = new AtomicInteger();
            scene.broker.onSend = message -> {
                if (sent.incrementAndGet() > 25) {
                    throw FakeBroker.failure(Blame.DESTINATION);
                }
            };
            assertThat(scene.run()).isNotNull();
            int probes = scene.broker.probes.get();

            assertThat(late).hasSize(1);
            late.get(0).run();

            assertThat(scene.broker.probes).hasValue(probes);
            assertThat(scene.worker.failures()).isEqualTo(1);
        }
    }

    @Test
    void runFailsOnceThoughSeveralWereInItAndEndsForAll() throws InterruptedException {
        try (DispatchScene scene = scene()) {
            scene.write(numbered(0, 400, 40));
            AtomicInteger sent = new AtomicInteger();
            scene.broker.onSend = message -> {
                if (sent.incrementAndGet() > 25) {
                    throw FakeBroker.failure(Blame.DESTINATION);
                }
            };

            scene.run();
            threads.shutdown();
            assertThat(threads.awaitTermination(2, TimeUnit.MINUTES)).isTrue();

            assertThat(helped).hasPositiveValue();
            assertThat(scene.worker.failures()).isEqualTo(1);
            assertThat(scene.worker.wake(PartitionRange.ALL))
                    .as("it rests until its timer calls")
                    .isFalse();
        }
    }

    /** Else health checks and observers would see a destination that is well until the other thread ends. */
    @Test
    void threadThatFailsReportsAFailedRunWhileAnotherOneWorks() {
        try (DispatchScene scene = scene()) {
            List<Integer> failures = new CopyOnWriteArrayList<>();
            AtomicInteger left = new AtomicInteger();
            scene.dispatcher.addListener(new DispatchListener() {
                @Override
                public void runFailed(DestinationId destination, int inARow, Throwable cause) {
                    failures.add(inARow);
                }

                @Override
                public void ended(DestinationId destination) {
                    left.incrementAndGet();
                }
            });
            CountDownLatch release = hangOn(scene, "stuck");
            scene.write("a", "stuck");
            threads.execute(scene::run);
            await().atMost(SOON).until(() -> scene.broker.opened.get() == 1);
            scene.broker.away = "the broker is away";
            scene.write("b", "1");

            assertThat(scene.run()).isNotNull();
            assertThat(failures).containsExactly(1);

            release.countDown();
            await().atMost(SOON).until(() -> left.get() == 2);
            assertThat(failures).containsExactly(1);
        }
    }

    @Test
    void lastThreadOfTheWorkerSwitchesToTheShadow() throws InterruptedException {
        try (DispatchScene scene = scene()) {
            OutboxConfig shadow = DispatchScene.config(
                    "outbox.dispatcher.concurrency", "4", "outbox.dispatcher.shadow-destination", "discard");
            AtomicReference<OutboxConfig> config = new AtomicReference<>(scene.config);
            CountDownLatch release = hangOn(scene, "stuck");
            scene.write("a", "stuck");
            scene.configure(config::get);
            threads.execute(scene::run);
            await().atMost(SOON).until(() -> scene.broker.opened.get() == 1);

            scene.write("b", "1");
            config.set(shadow);
            scene.run();
            assertThat(scene.column("status", "1")).as("somebody still sends").isEqualTo("PENDING");

            release.countDown();
            await().atMost(SOON).until(() -> "discard".equals(scene.column("shadow_destination", "1")));
            assertThat(scene.broker.texts()).containsExactly("stuck");
        }
    }

    private static Throwable poll(DispatchScene scene) {
        return scene.worker.poll();
    }

    /** Lets a run fail, so that the next call of the timer counts as the container's own retry. */
    private static void failOnce(DispatchScene scene) {
        scene.broker.probeRefused = "the broker is away";
        assertThat(scene.run()).isNotNull();
        scene.broker.probeRefused = null;
    }

    private static void relieve(DispatchScene scene) {
        scene.worker.checkStalled();
    }

    private DispatchScene scene() {
        DispatchScene scene =
                new DispatchScene("outbox.dispatcher.concurrency", "4", "outbox.dispatcher.batch-size", "10");
        scene.dispatcher.useThreads(this::help, Duration.ofHours(1));
        return scene;
    }

    private void help(Runnable work) {
        helped.incrementAndGet();
        threads.execute(work);
    }

    private static CountDownLatch hangOn(DispatchScene scene, String text) {
        CountDownLatch release = new CountDownLatch(1);
        scene.broker.onSend = message -> {
            if (message.body().text().equals(text)) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        return release;
    }
}

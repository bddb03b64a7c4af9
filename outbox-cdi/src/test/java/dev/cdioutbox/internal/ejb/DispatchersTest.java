package dev.cdioutbox.internal.ejb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import jakarta.ejb.EJBException;
import jakarta.ejb.NoSuchObjectLocalException;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.ConfigReader;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.OutboxProperties;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.ejb.Dispatchers.Work;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.TransactionalOperations;
import dev.cdioutbox.internal.store.ThisNode;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxFinding;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Only a worker's first failure in a row may reach the container. The container retries once, and after a second
 * failure it waits for minutes.
 */
class DispatchersTest {
    private final Dispatchers timer = new Dispatchers();
    private final List<String> thrown = new ArrayList<>();

    @Test
    void firstFailureInARowIsThrownAndNoOther() {
        called(1);
        called(2);
        called(3);
        assertThat(thrown).containsExactly("failure 1");

        called(0);
        called(1);
        assertThat(thrown).containsExactly("failure 1", "failure 1");
    }

    @Test
    void failureThatAWakeUpHasMetBeforeIsNotThrown() {
        called(2);

        assertThat(thrown).isEmpty();
    }

    /** The housekeeping timer does not wait for a worker, so it can detect a stalled one. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void housekeepingTimerChecksForStalledWorkers() {
        List<Runnable> started = new ArrayList<>();
        Dispatcher dispatcher = dispatcher(Map.of("outbox.dispatcher.interval", "PT0.1S"));
        dispatcher.useThreads(started::add);
        OpenOutbox outbox = outbox();
        timer.dispatchers.put(outbox, dispatcher);
        dispatcher.workers().forEach((label, worker) -> timer.inForce.put(label, worker.config()));

        while (started.isEmpty()) {
            timer.call(calling(new Work(Dispatchers.Task.HOUSEKEEPING, outbox.name())));
            Thread.onSpinWait();
        }
        assertThat(started).hasSize(1);
    }

    /** A delayed message or a retry does not wait for the next poll. */
    @Test
    void timerOfADueMessageRunsItsWorkerOnAnotherThread() {
        List<Runnable> started = new ArrayList<>();
        Dispatcher dispatcher = dispatcher(Map.of());
        dispatcher.useThreads(started::add);
        timer.workers.putAll(dispatcher.workers());

        timer.call(calling(new Dispatchers.Due("default")));

        assertThat(started).hasSize(1);
    }

    /** Otherwise both would fire, and start two further ones for the same time. */
    @Test
    void timerOfAnEarlierDueMessageReplacesTheOther() {
        List<Long> delays = new ArrayList<>();
        List<Long> cancelled = new ArrayList<>();
        timer.timers = (TimerService) Proxy.newProxyInstance(
                TimerService.class.getClassLoader(),
                new Class<?>[] {TimerService.class},
                (proxy, method, arguments) -> {
                    Long delay = (Long) arguments[0];
                    delays.add(delay);
                    return Proxy.newProxyInstance(
                            Timer.class.getClassLoader(), new Class<?>[] {Timer.class}, (of, cancel, none) -> {
                                cancelled.add(delay);
                                throw new NoSuchObjectLocalException("it has fired meanwhile");
                            });
                });
        DestinationWorker worker = dispatcher(Map.of()).workers().get("default");

        timer.startDueTimer(worker, Duration.ofMillis(60));
        timer.startDueTimer(worker, Duration.ofMillis(30));

        assertThat(delays).containsExactly(61L, 31L);
        assertThat(cancelled).containsExactly(61L);
    }

    @Test
    void applicationWithoutAPublisherHasNoTimer() {
        timer.timers = (TimerService) Proxy.newProxyInstance(
                TimerService.class.getClassLoader(),
                new Class<?>[] {TimerService.class},
                (proxy, method, arguments) -> {
                    throw new AssertionError(method + " was called");
                });
        timer.gauges = new Gauges();

        timer.outboxes = outboxes();
        assertThatCode(timer::start).doesNotThrowAnyException();

        timer.outboxes = outboxes("outbox.transport", "cdc");
        assertThatThrownBy(timer::start)
                .as("change data capture needs the sweep, and a look at the slot")
                .isInstanceOf(AssertionError.class);
    }

    private static Outboxes outboxes(String... keysAndValues) {
        CurrentConfig config = new CurrentConfig(TestConfig.of(keysAndValues));
        return new Outboxes(List.of(new OpenOutbox("default", config, (JdbcOutboxStore) null, null)));
    }

    /**
     * StatementCountTest counts the statements of an idle minute with these periods. Each outbox has its own timers: one whose
     * database hangs must not stop the heartbeats and leases of another.
     */
    @Test
    void eachTaskOfEachOutboxHasItsPeriod() {
        Map<Work, Duration> periods = new HashMap<>();
        timer.timers = (TimerService) Proxy.newProxyInstance(
                TimerService.class.getClassLoader(),
                new Class<?>[] {TimerService.class},
                (proxy, method, arguments) -> {
                    int last = arguments.length - 1;
                    Work work = (Work) ((TimerConfig) arguments[last]).getInfo();
                    periods.put(work, Duration.ofMillis((long) arguments[last - 1]));
                    return null;
                });
        timer.outboxes = new Outboxes(List.of(outbox("default"), outbox("billing")));
        timer.gauges = new Gauges();
        timer.publishers = Map.of("jms", new FakeBroker());

        timer.start();

        Map<Dispatchers.Task, Duration> expected = Map.of(
                Dispatchers.Task.HOUSEKEEPING, Duration.ofSeconds(1),
                Dispatchers.Task.TABLE_CHECK, Duration.ofSeconds(10),
                Dispatchers.Task.HEARTBEAT, Duration.ofSeconds(10),
                Dispatchers.Task.BACKLOG, Duration.ofSeconds(10),
                Dispatchers.Task.NODES, Duration.ofMinutes(1),
                Dispatchers.Task.SWEEP, Duration.ofMinutes(1),
                Dispatchers.Task.LEASES, Duration.ofSeconds(1),
                Dispatchers.Task.DEAD_LETTERS, Duration.ofSeconds(10));
        assertThat(periods).hasSize(2 * expected.size());
        expected.forEach((task, period) -> assertThat(periods)
                .containsEntry(new Work(task, "default"), period)
                .containsEntry(new Work(task, "billing"), period));
    }

    /** Otherwise a node whose reads are slow would seem to be dead. */
    @Tag("database")
    @Test
    void heartbeatBacklogAndCopiesOfABackfillHaveATimerEach() {
        List<Object> started = new ArrayList<>();
        timer.timers = (TimerService) Proxy.newProxyInstance(
                TimerService.class.getClassLoader(),
                new Class<?>[] {TimerService.class},
                (proxy, method, arguments) -> {
                    started.add(((TimerConfig) arguments[1]).getInfo());
                    return null;
                });
        try (DispatchScene scene = new DispatchScene("outbox.destinations.billing.jndi", "jms/billing")) {
            OpenOutbox outbox = outbox();
            timer.dispatchers.put(outbox, scene.dispatcher);
            Work copies = new Work(Dispatchers.Task.BACKFILL, outbox.name());
            scene.store.backfills().start("billing", "default", "OrderPlaced", Instant.EPOCH);

            timer.call(calling(new Work(Dispatchers.Task.HEARTBEAT, outbox.name())));
            assertThat(scene.store.nodes().all()).hasSize(1);
            scene.dispatcher.stop();

            timer.call(calling(new Work(Dispatchers.Task.BACKLOG, outbox.name())));
            assertThat(scene.store.nodes().all()).isEmpty();
            assertThat(started).containsExactly(copies);
            assertThat(scene.store.backfills().all().get(0).end()).isNull();

            timer.call(calling(copies));
            assertThat(scene.store.backfills().all().get(0).end()).isNotNull();
        }
    }

    @Test
    void findingsAfterTheStartAreLoggedInOneLine() {
        List<OutboxFinding> found = new ArrayList<>();
        timer.operations = new TransactionalOperations() {
            @Override
            public TransactionalOperations outbox(String name) {
                return this;
            }

            @Override
            public List<OutboxFinding> diagnose() {
                return found;
            }
        };
        Work diagnosis = new Work(Dispatchers.Task.DIAGNOSIS, outbox().name());
        try (LogLines log = new LogLines("dev.cdioutbox")) {
            timer.call(calling(diagnosis));
            assertThat(log.all()).isEmpty();

            found.add(OutboxCode.UNKNOWN_ROUTE.finding("Shipped", ""));
            found.add(OutboxCode.GALERA.finding());
            timer.call(calling(diagnosis));
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("OBX-0608: findings in the outbox 'default' after the start: 2.")
                    .containsPattern("(?s)\n  OBX-0217: .*\n  OBX-0316: ");
        }
    }

    /** A call that went on would do so without the classes of the application, and perhaps never close its clients. */
    @Test
    void stopWaitsForTheCallInProgressAndNoOtherBegins() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        CountDownLatch called = new CountDownLatch(1);
        Thread stop = new Thread(() -> {
            timer.stop();
            order.add("stopped");
        });
        timer.operations = new TransactionalOperations() {
            @Override
            public TransactionalOperations outbox(String name) {
                return this;
            }

            @Override
            public List<OutboxFinding> diagnose() {
                called.countDown();
                while (!Set.of(Thread.State.TIMED_WAITING, Thread.State.TERMINATED)
                        .contains(stop.getState())) {
                    Thread.onSpinWait();
                }
                order.add("called");
                return List.of();
            }
        };
        Timer diagnosis = calling(new Work(Dispatchers.Task.DIAGNOSIS, outbox().name()));
        Thread call = new Thread(() -> timer.call(diagnosis));
        call.start();
        called.await();
        stop.start();
        stop.join();
        call.join();
        timer.call(diagnosis);

        assertThat(order).containsExactly("called", "stopped");
    }

    /** The only one, without a store. */
    private OpenOutbox outbox() {
        OpenOutbox outbox = outbox("default");
        timer.outboxes = new Outboxes(List.of(outbox));
        return outbox;
    }

    private static OpenOutbox outbox(String name) {
        return new OpenOutbox(name, new CurrentConfig(TestConfig.of()), (JdbcOutboxStore) null, null);
    }

    private static Dispatcher dispatcher(Map<String, String> keys) {
        OutboxConfig config = new ConfigReader(
                        new OutboxProperties("default", key -> Optional.ofNullable(keys.get(key)), keys.keySet()),
                        "shop")
                .read();
        ThisNode node = new ThisNode("node", "shop", "host", "server", 1, "1.0");
        return new Dispatcher(new Services(null, Map.of(), null, node, () -> config, () -> false));
    }

    private void called(int failures) {
        try {
            Dispatchers.throwIfFirst(failures == 0 ? null : new IllegalStateException("failure " + failures), failures);
        } catch (EJBException e) {
            thrown.add(e.getMessage());
        }
    }

    private static Timer calling(Serializable info) {
        return (Timer) Proxy.newProxyInstance(
                Timer.class.getClassLoader(), new Class<?>[] {Timer.class}, (proxy, method, arguments) -> info);
    }
}

package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guards the events that listeners receive: metrics, health and logs depend on them. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class ListenerTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene("outbox.partitions", "1");

    private final List<Integer> held = new ArrayList<>();
    private final List<Duration> latencies = new ArrayList<>();
    private final List<String> unreadable = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> runs = new ArrayList<>();

    @BeforeEach
    void lookOn() {
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void began(DestinationId destination) {
                runs.add(destination + " began");
            }

            @Override
            public void ended(DestinationId destination) {
                runs.add(destination + " ended");
            }

            @Override
            public void runFailed(DestinationId destination, int failures, Throwable cause) {
                runs.add(destination + " failed " + failures);
            }

            @Override
            public void recovered(DestinationId destination, int failures) {
                runs.add(destination + " recovered " + failures);
            }

            @Override
            public void claimed(DestinationId destination, int partitions, Duration took) {
                held.add(partitions);
            }

            @Override
            public void released(DestinationId destination, int partitions) {
                held.add(-partitions);
            }

            @Override
            public void published(DestinationId destination, List<OutboxMessage> messages, Instant at, Duration took) {
                messages.forEach(message -> latencies.add(Duration.between(message.createdAt(), at)));
            }

            @Override
            public void unreadable(DestinationId destination, long sequence, String problem) {
                unreadable.add(destination + " " + problem);
            }

            @Override
            public void storeChecked(String outbox, String problem) {
                problems.add(problem);
            }
        });
    }

    @Test
    void everyRunIsReportedWithTheNumberOfFailuresInARow() {
        scene.write("a", "1");
        scene.broker.onSend = message -> {
            throw new PublishException(PublishException.Blame.DESTINATION, "away", null);
        };
        scene.run();
        scene.run();
        scene.broker.onSend = message -> {};
        scene.run();

        assertThat(runs)
                .containsExactly(
                        "default began",
                        "default failed 1",
                        "default ended",
                        "default began",
                        "default failed 2",
                        "default ended",
                        "default began",
                        "default recovered 2",
                        "default ended");
    }

    /** Otherwise an observer could get a failure after the recovery that followed it. */
    @Test
    void threadTellsOfItsFailureBeforeAnotherOneDecides() throws InterruptedException {
        scene.write("a", "1");
        scene.broker.onSend = message -> {
            throw new PublishException(PublishException.Blame.DESTINATION, "away", null);
        };
        Thread other = new Thread(scene::run);
        AtomicReference<Thread.State> meanwhile = new AtomicReference<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void runFailed(DestinationId destination, int failures, Throwable cause) {
                if (failures == 1) {
                    other.start();
                    await().atMost(Duration.ofMinutes(1))
                            .until(() -> other.getState() == Thread.State.BLOCKED || !other.isAlive());
                    meanwhile.set(other.getState());
                }
            }
        });

        scene.run();
        other.join();

        assertThat(meanwhile).hasValue(Thread.State.BLOCKED);
    }

    /** A business thread wakes the worker after its commit, and must not wait for a log that blocks. */
    @Test
    void listenerThatBlocksHoldsUpNoCommit() {
        scene.write("a", "1");
        scene.broker.onSend = message -> {
            throw new PublishException(PublishException.Blame.DESTINATION, "away", null);
        };
        AtomicReference<Boolean> isBack = new AtomicReference<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void runFailed(DestinationId destination, int failures, Throwable cause) {
                Thread business = new Thread(() -> scene.worker.wake(PartitionRange.ALL));
                business.start();
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> business.getState() == Thread.State.BLOCKED || !business.isAlive());
                isBack.set(!business.isAlive());
            }
        });

        scene.run();

        assertThat(isBack).hasValue(true);
    }

    /** Otherwise a node could seem to hold nothing while others still find its partitions locked. */
    @Test
    void partitionsAreFreeWhenTheirReleaseIsReported() {
        scene.write("a", "1");
        scene.broker.onSend = message -> {
            throw new PublishException(PublishException.Blame.DESTINATION, "away", null);
        };
        List<Integer> free = new ArrayList<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void released(DestinationId destination, int partitions) {
                try (Claim claim = TestMessages.claim(scene.store, TestMessages.limits(1, 1, 1))) {
                    free.add(claim.partitions().size());
                }
            }
        });

        assertThat(scene.run()).isNotNull();

        assertThat(free).containsExactly(1);
    }

    @Test
    void partitionsAreReleasedThoughTheDeliveryFails() {
        scene.write("a", "1");
        scene.broker.onSend = message -> {
            throw new PublishException(PublishException.Blame.DESTINATION, "away", null);
        };

        assertThat(scene.run()).isNotNull();

        assertThat(held).containsExactly(1, -1);
    }

    @Test
    void latencyIsCountedFromWhenTheMessageWasStored() {
        long start = System.nanoTime();
        scene.write("a", "1");
        scene.database.update("UPDATE shop_message SET created_at = DATEADD('HOUR', -2, created_at)");

        assertThat(scene.run()).isNull();

        Duration most = Duration.ofHours(2).plusSeconds(20).plusNanos(System.nanoTime() - start);
        assertThat(latencies).singleElement().satisfies(latency -> assertThat(latency)
                .isBetween(Duration.ofHours(2), most));
    }

    @Test
    void unreadableRowIsReported() {
        scene.write("a", "1");
        scene.database.update("UPDATE shop_message SET message_id = 'nonsense'");

        assertThat(scene.run()).isNull();

        assertThat(unreadable).singleElement().asString().startsWith("default ").contains("nonsense");
    }

    @Test
    void tablesAreLookedAtColumnByColumn() {
        scene.dispatcher.checkTables();
        assertThat(problems).containsExactly((String) null);

        scene.database.update("ALTER TABLE shop_inbox RENAME TO shop_other");
        scene.dispatcher.checkTables();
        assertThat(problems.get(1)).containsIgnoringCase("shop_inbox");

        scene.database.update("ALTER TABLE shop_other RENAME TO shop_inbox");
        scene.dispatcher.checkTables();
        assertThat(problems.get(2)).isNull();
    }

    @Test
    void nodeSaysWhatItHoldsWithEachHeartbeat() {
        scene.write("a", "1");
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void claimed(DestinationId destination, int partitions, Duration took) {
                if (partitions > 0) {
                    scene.dispatcher.writeHeartbeat();
                }
            }
        });

        assertThat(scene.run()).isNull();
        assertThat(scene.store.nodes().all()).singleElement().satisfies(node -> {
            assertThat(node.id()).isEqualTo("node-1");
            assertThat(node.partitions()).as("meanwhile").isEqualTo(1);
        });

        scene.dispatcher.writeHeartbeat();
        assertThat(scene.store.nodes().all()).singleElement().satisfies(node -> assertThat(node.partitions())
                .isZero());
    }

    /** A node of the same module does not count. A module of another name counts as long as its heartbeat is fresh. */
    @Test
    void moduleOfAnotherNameThatSharesTheMessagesIsReportedOnce() {
        scene.store.nodes().writeHeartbeat(new ThisNode("node-2", "shop", "host-2", "server", 2, "1.0"), 0);
        scene.store.nodes().writeHeartbeat(new ThisNode("node-3", "billing", "host-2", "server", 3, "1.0"), 0);
        try (LogLines log = new LogLines("dev.cdioutbox")) {
            scene.dispatcher.checkNodes();
            scene.dispatcher.checkNodes();
            scene.database.update("UPDATE shop_node SET last_tick_at = DATEADD(SECOND, -31, CURRENT_TIMESTAMP)"
                    + " WHERE module_name = 'billing'");
            scene.dispatcher.checkNodes();

            assertThat(log.all())
                    .filteredOn(line -> line.startsWith("OBX-0220"))
                    .singleElement()
                    .asString()
                    .startsWith(
                            "OBX-0220: the outbox.application 'shop' is used in one database by this module, shop, and"
                                    + " by billing.");
        }
    }

    @Test
    void unreachableDatabaseIsReportedAsTheTablesProblem() {
        scene.database.update("SHUTDOWN");

        scene.dispatcher.checkTables();
        scene.dispatcher.refreshBacklog();

        assertThat(problems).singleElement().asString().isNotBlank();
    }

    @Test
    void dispatchersOwnConnectionsThatAreAwayAreNoProblemOfTheTablesIntoWhichEventsAreStored() {
        List<OutboxBacklog> backlogs = new ArrayList<>();
        AtomicBoolean away = new AtomicBoolean();
        DataSource own = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (away.get()) {
                        throw new SQLException("away");
                    }
                    return method.invoke(scene.database.dataSource(), arguments);
                });
        Dispatcher dispatcher = new Dispatcher(
                scene.store.dispatchingOn(own, "jdbc/own"),
                Map.of("jms", scene.broker),
                new ThisNode("node-2", "shop", "host", "server", 1, "1.0"),
                () -> scene.config,
                new Environment(scene.transactions, () -> false));
        dispatcher.addListener(new DispatchListener() {
            @Override
            public void storeChecked(String outbox, String problem) {
                problems.add(problem);
            }

            @Override
            public void backlog(String outbox, OutboxBacklog backlog) {
                backlogs.add(backlog);
            }
        });

        away.set(true);
        dispatcher.checkTables();
        dispatcher.refreshBacklog();

        assertThat(problems).containsExactly((String) null);
        assertThat(backlogs).isEmpty();
    }
}

package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.ConnectionPoolDataSource;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.node.PreparedTransactions;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guards both delivery guarantees when a commit, a settle or a probe fails. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class DispatcherGuaranteeTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene();

    @AutoClose
    private final LogLines logged = new LogLines("dev.cdioutbox");

    @AutoClose
    private final DispatchScene atLeastOnce = new DispatchScene("outbox.dispatcher.delivery", "at-least-once");

    @Test
    void failedCommitChargesNoMessageAndSendsNothing() {
        scene.run();
        scene.write(numbered(0, 10, 1));
        scene.transactions.failingCommits.set(1000);

        assertThat(scene.run()).hasRootCauseMessage("the commit failed");
        assertThat(scene.broker.delivered).isEmpty();
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0");
        scene.transactions.failingCommits.set(0);

        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts())
                .containsExactlyElementsOf(
                        IntStream.range(0, 10).mapToObj(String::valueOf).toList());
    }

    @Test
    void rowSettledByAnotherNodeRollsTheSendsBack() {
        scene.write(List.of(message("a", "1"), message("a", "2")));
        scene.broker.onSend = message -> {
            if (message.body().text().equals("2")) {
                scene.database.settle(OutboxStatus.PUBLISHED, "payload = '1'");
            }
        };

        assertThat(scene.run()).rootCause().hasMessageStartingWith("OBX-0305: 2 message(s) were sent but 1 settled");
        assertThat(scene.broker.delivered).isEmpty();
        assertThat(scene.database.statuses()).containsExactly("PUBLISHED", "PENDING");

        scene.broker.onSend = message -> {};
        scene.run();
        assertThat(scene.broker.texts()).containsExactly("2");
    }

    @Test
    void nothingIsSentWhereExactlyOnceIsNotPossible() {
        scene.write("a", "1");
        scene.broker.probeRefused = "no XA here";

        assertThat(scene.run()).hasRootCauseMessage("no XA here");
        assertThat(scene.run()).isNotNull();

        assertThat(scene.broker.opened).hasValue(0);
        assertThat(logged.all())
                .as("the destination was not reached, which says nothing of XA")
                .noneMatch(line -> line.startsWith("OBX-0403"));
        assertThat(scene.worker.wake(PartitionRange.ALL))
                .as("it rests until its timer calls")
                .isFalse();
        assertThat(scene.database.statuses()).containsExactly("PENDING");

        scene.broker.probeRefused = null;
        scene.run();
        assertThat(scene.broker.texts()).containsExactly("1");
    }

    @Test
    void probeThatCannotCommitProvesNothing() {
        scene.write("a", "1");
        scene.transactions.failingCommits.set(1);

        assertThat(scene.run()).isNotNull();

        assertThat(logged.all()).anyMatch(line -> line.startsWith("OBX-0403") && line.contains("the commit failed"));
        assertThat(scene.worker.wake(PartitionRange.ALL))
                .as("it rests until its timer calls")
                .isFalse();
        assertThat(scene.broker.delivered).isEmpty();
    }

    /** Its probe would succeed, and nobody would notice before the first duplicate. */
    @Test
    void publisherThatJoinsNoTransactionRefusesExactlyOnceAndServesAtLeastOnce() {
        scene.write("a", "1");
        scene.broker.joinsTransactions = false;

        assertThat(scene.run()).isNotNull();

        assertThat(scene.broker.probes).hasValue(0);
        assertThat(scene.broker.delivered).isEmpty();
        assertThat(logged.all()).anyMatch(line -> line.startsWith("OBX-0403") && line.contains("OBX-0439"));

        scene.configure(() -> DispatchScene.config("outbox.dispatcher.delivery", "at-least-once"));
        scene.run();
        assertThat(scene.broker.texts()).containsExactly("1");
    }

    /** Such a probe may succeed: Liberty lets one resource without XA join a transaction. */
    @Test
    void dataSourceWithoutXaRefusesExactlyOnceWithoutAProbe() {
        scene.write("a", "1");
        scene.transactions.wrapped = Set.of(ConnectionPoolDataSource.class);

        assertThat(scene.run()).isNotNull();

        assertThat(scene.broker.probes).hasValue(0);
        assertThat(scene.broker.delivered).isEmpty();
        assertThat(logged.all())
                .anyMatch(line -> line.startsWith("OBX-0403")
                        && line.contains("the DataSource is a javax.sql.ConnectionPoolDataSource"));

        scene.transactions.wrapped = Set.of();
        scene.configure(() -> DispatchScene.config("outbox.destinations.default.time-to-live", "PT1H"));
        scene.run();
        assertThat(scene.broker.texts()).as("a DataSource that shows nothing").containsExactly("1");
    }

    @Test
    void probeThatTimesOutSaysNothingOfXa() {
        scene.transactions.timesOutAbove = -1;

        assertThat(scene.run()).isNotNull();

        assertThat(logged.all())
                .noneMatch(line -> line.startsWith("OBX-0403"))
                .anyMatch(line -> line.contains("OBX-0424"));
    }

    /** What happens in each kind of failure, the console and the health check show. */
    @Test
    void guaranteeIsAShortLine() {
        scene.run();
        assertThat(logged.all())
                .anyMatch(line -> line.startsWith("OBX-0420: destination 'default': exactly-once (a test"
                                + " transaction of both was committed), with ")
                        && line.length() < 160);
    }

    /** At the start, a wake-up may come while the worker's timer calls. */
    @Test
    void twoThreadsThatProbeAtOnceReportTheGuaranteeOnce() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        AtomicInteger reports = new AtomicInteger();
        CountDownLatch otherIsBeyond = new CountDownLatch(1);
        OutboxPublisher publisher = new OutboxPublisher() {
            @Override
            public boolean joinsTransactions() {
                return true;
            }

            @Override
            public Sender open(DestinationId destination) throws PublishException {
                return scene.broker.open(destination);
            }

            @Override
            public void probe(DestinationId destination) {
                waitFor(both::await);
            }

            @Override
            public String describe(DestinationId destination) {
                if (reports.incrementAndGet() > 1) {
                    otherIsBeyond.countDown();
                }
                waitFor(() -> {
                    otherIsBeyond.await();
                    return null;
                });
                return "a broker";
            }
        };
        scene.configure(() -> DispatchScene.config("outbox.dispatcher.concurrency", "2"));
        DestinationWorker worker = DispatchScene.workerOf(scene.dispatcher(publisher, System::nanoTime, List.of()));
        Callable<Throwable> run = () -> {
            Throwable failure = worker.poll();
            otherIsBeyond.countDown();
            return failure;
        };
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (Future<Throwable> failure : threads.invokeAll(List.of(run, run))) {
                assertThat(failure.get()).isNull();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(logged.all()).filteredOn(line -> line.startsWith("OBX-0420")).hasSize(1);
    }

    private static void waitFor(Callable<?> wait) {
        try {
            wait.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** For each probe that cannot be prepared, the container logs forty lines. */
    @Test
    void refusedProbeIsNotRepeatedAtEachInterval() {
        scene.write("a", "1");
        scene.transactions.failingCommits.set(Integer.MAX_VALUE);
        for (int run = 0; run < 5; run++) {
            assertThat(scene.run()).hasRootCauseMessage("the commit failed");
        }
        assertThat(scene.transactions.failedCommits).hasValue(1);

        scene.transactions.failingCommits.set(0);
        scene.configure(() -> DispatchScene.config("outbox.destinations.default.time-to-live", "PT1H"));
        assertThat(scene.run()).as("another configuration is probed at once").isNull();
        assertThat(scene.broker.texts()).containsExactly("1");
    }

    @Test
    void exactlyOnceIsProbedOnceForEachConfigurationOfTheDestination() {
        scene.run();
        scene.run();
        assertThat(scene.broker.probes).hasValue(1);

        scene.configure(() -> DispatchScene.config("outbox.destinations.default.time-to-live", "PT1H"));
        scene.run();
        assertThat(scene.broker.probes)
                .as("the proof was that of the former one")
                .hasValue(2);
    }

    /** RefusedCommitTest shows that the database gets the statement of a settlement. */
    @Test
    void probeSettlesARowOfNoMessageAndRemovesIt() {
        List<String> others = new ArrayList<>();
        scene.transactions.failingCommits.set(1);
        scene.transactions.afterFailure =
                () -> others.addAll(scene.database.query("SELECT seq FROM shop_queue WHERE seq < 0"));

        scene.run();

        assertThat(others).hasSize(1);
        assertThat(scene.database.query("SELECT seq FROM shop_queue UNION SELECT seq FROM shop_delivery"))
                .isEmpty();
    }

    /** Otherwise each poll of an outage would write two transactions to the database. */
    @Test
    void probeOfABrokerThatIsAwayWritesNothing() {
        scene.database.update("ALTER TABLE shop_queue ADD CONSTRAINT no_probe CHECK (seq > 0)");
        scene.broker.away = "the broker is away";
        assertThat(scene.run()).hasRootCauseMessage("the broker is away");

        scene.broker.away = null;
        assertThat(scene.run()).as("with its row").hasStackTraceContaining("NO_PROBE");
    }

    @Test
    void probeLeavesTheNumberOfPartitionsThatThisNodeHolds() {
        scene.dispatcher.writeHeartbeat();
        scene.database.update("UPDATE shop_node SET partitions_held = 5");

        scene.run();

        assertThat(scene.broker.probes).hasValue(1);
        assertThat(scene.database.query("SELECT partitions_held FROM shop_node"))
                .containsExactly("5");
    }

    /** The container logs hundreds of lines for a transaction that cannot be prepared. */
    @Test
    void databaseThatForbidsPreparedTransactionsGetsNone() {
        JdbcOutboxStore forbidding = ChangedStore.of(
                scene.store,
                (role, method, arguments) -> method.getName().equals("preparedTransactions")
                        ? new PreparedTransactions(0, 0)
                        : ChangedStore.call(role, method, arguments));
        ThisNode node = new ThisNode("node-1", "shop", "host", "server", 1, "1.0");
        Dispatcher dispatcher = new Dispatcher(
                forbidding,
                Map.of("jms", scene.broker),
                node,
                scene::inForce,
                new Environment(scene.transactions, scene::isStopping));
        scene.write("a", "1");

        assertThat(DispatchScene.workerOf(dispatcher).poll()).isNotNull();

        assertThat(scene.broker.probes).hasValue(0);
        assertThat(logged.all())
                .anyMatch(line -> line.startsWith("OBX-0403") && line.contains("max_prepared_transactions is 0"));
    }

    @Test
    void atLeastOnceNeedsNoProbe() {
        atLeastOnce.write("a", "1");

        atLeastOnce.run();

        assertThat(atLeastOnce.broker.texts()).containsExactly("1");
        assertThat(atLeastOnce.broker.probes).hasValue(0);
    }

    @Test
    void atLeastOnceSendsTheBatchAgainWhoseSettlementFailed() {
        atLeastOnce.write(List.of(message("a", "1"), message("a", "2")));
        atLeastOnce.broker.onSend = message -> {
            if (message.body().text().equals("2")) {
                atLeastOnce.database.settle(OutboxStatus.PUBLISHED, "payload = '2'");
            }
        };

        assertThat(atLeastOnce.run()).rootCause().hasMessageStartingWith("OBX-0305");
        assertThat(atLeastOnce.broker.texts()).containsExactly("1", "2");
        assertThat(atLeastOnce.database.statuses()).containsExactly("PENDING", "PUBLISHED");

        atLeastOnce.broker.onSend = message -> {};
        atLeastOnce.run();
        assertThat(atLeastOnce.broker.texts()).containsExactly("1", "2", "1");
    }

    @Test
    void atLeastOnceSettlesNothingThatTheBrokerDidNotCommit() {
        atLeastOnce.write("a", "1");
        // One commit is the batch's, the other one the probe's.
        atLeastOnce.transactions.failingCommits.set(2);

        assertThat(atLeastOnce.run()).isNotNull();

        assertThat(atLeastOnce.broker.delivered).isEmpty();
        assertThat(atLeastOnce.database.statuses()).containsExactly("PENDING");
    }
}

package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards what is different for messages that code of the application handles: one message in a transaction, which is charged for
 * whatever becomes of the transaction.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class HandlingTest {
    @AutoClose
    private final DispatchScene scene =
            new DispatchScene("outbox.routes.*", "local", "outbox.dispatcher.delivery", "at-least-once");

    private final Claims claims = new Claims();

    /** Counts the claims that have found something. */
    private static final class Claims implements DispatchListener {
        private final AtomicInteger served = new AtomicInteger();

        @Override
        public void claimed(DestinationId destination, int partitions, Duration took) {
            served.addAndGet(partitions > 0 ? 1 : 0);
        }
    }

    @Test
    void eachMessageHasATransactionOfItsOwnAndOneClaimServesAll() {
        scene.dispatcher.addListener(claims);
        List<Integer> sizes = completions();
        scene.write(numbered(0, 5, 2));

        assertThat(scene.run()).isNull();

        assertThat(sizes).containsExactly(1, 1, 1, 1, 1);
        assertThat(claims.served).hasValue(1);
        assertThat(scene.broker.texts()).containsExactlyInAnyOrder("0", "1", "2", "3", "4");
        assertThat(scene.broker.texts()).containsSubsequence("0", "2", "4").containsSubsequence("1", "3");
    }

    /** The number of messages of each completed batch. */
    private List<Integer> completions() {
        List<Integer> sizes = new ArrayList<>();
        scene.broker.onComplete = sent -> {
            sizes.add(sent.size());
            return Map.of();
        };
        return sizes;
    }

    @Test
    void failureIsChargedToItsMessageAndOnlyItsKeyWaits() {
        fail("poison", Blame.UNKNOWN);
        scene.write(List.of(message("a", "poison"), message("b", "healthy"), message("a", "follower")));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("healthy");
        assertThat(scene.column("attempts", "poison")).isEqualTo("1");
        assertThat(scene.column("last_error", "poison")).contains("refused by UNKNOWN");
        assertThat(scene.column("attempts", "follower")).isEqualTo("0");
    }

    @Test
    void messageThatNeverSucceedsIsRolledBackAndAbandoned() {
        fail("poison", Blame.MESSAGE);
        scene.write(List.of(message("a", "poison"), message("a", "follower")));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("follower");
        assertThat(scene.column("status", "poison")).isEqualTo("ABANDONED");
    }

    private void fail(String text, Blame blame) {
        scene.broker.onComplete = sent -> failures(sent, text, FakeBroker.failure(blame));
    }

    private static Map<OutboxMessage, PublishException> failures(
            List<OutboxMessage> sent, String text, PublishException failure) {
        OutboxMessage only = sent.get(0);
        return only.body().text().equals(text) ? Map.of(only, failure) : Map.of();
    }

    @Test
    void timeOutIsChargedBecauseTheDatabaseCommits() {
        scene.transactions.timesOutAbove = 0;
        scene.write("a", "slow");

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.probes).hasValue(1);
        assertThat(scene.column("attempts", "slow")).isEqualTo("1");
        assertThat(scene.column("last_error", "slow")).contains("OBX-0424");
    }

    @Test
    void timeOutThatTheHandlerReportsAsAnotherFailureIsChargedAsWell() {
        scene.transactions.timesOutAbove = 0;
        fail("slow", Blame.UNKNOWN);
        scene.write("a", "slow");

        assertThat(scene.run()).isNull();

        assertThat(scene.column("attempts", "slow")).isEqualTo("1");
        assertThat(scene.column("last_error", "slow")).contains("OBX-0424");
    }

    @Test
    void refusedCommitIsChargedAtOnce() {
        scene.broker.refusedAtCommit.add("poison");
        scene.write(List.of(message("a", "poison"), message("b", "healthy")));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("healthy");
        assertThat(scene.broker.sends).containsEntry("poison", 1);
        assertThat(scene.column("attempts", "poison")).isEqualTo("1");
    }

    /** Such as a statement that PostgreSQL has refused, and whose exception the handler has caught. */
    @Test
    void settlementThatTheHandlerHasMadeImpossibleIsChargedAndTheOthersGoOn() {
        scene.broker.onComplete = sent -> {
            if (sent.get(0).body().text().equals("poison")) {
                deleteInTheTransaction(sent.get(0));
            }
            return Map.of();
        };
        scene.write(List.of(message("a", "poison"), message("b", "healthy")));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("healthy");
        assertThat(scene.column("attempts", "poison")).isEqualTo("1");
    }

    private void deleteInTheTransaction(OutboxMessage message) {
        try (Connection connection = scene.transactions.dataSource().getConnection();
                Statement delete = connection.createStatement()) {
            delete.executeUpdate("DELETE FROM shop_queue WHERE seq = " + message.sequence());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** With a broker, it would be the fault of this node. */
    @Test
    void classThatOneMessageNeedsIsMissingForThatMessageAlone() {
        PublishException missing = new PublishException(Blame.UNKNOWN, "failed", new NoClassDefFoundError("Pdf"));
        scene.broker.onComplete = sent -> failures(sent, "poison", missing);
        scene.write(List.of(message("a", "poison"), message("b", "healthy")));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("healthy");
        assertThat(scene.column("attempts", "poison")).isEqualTo("1");
    }

    @Test
    void wishOfAHandlerThatHasTimedOutIsGranted() {
        scene.transactions.timesOutAbove = 0;
        fail("hopeless", Blame.MESSAGE);
        scene.write("a", "hopeless");

        assertThat(scene.run()).isNull();

        assertThat(scene.column("status", "hopeless")).isEqualTo("ABANDONED");
    }

    /** Other beans and executors of the application may be gone already. */
    @Test
    void failureWhileTheApplicationStopsIsNotCharged() {
        fail("interrupted", Blame.UNKNOWN);
        scene.write("a", "interrupted");
        scene.stopWhen(() -> !scene.broker.sends.isEmpty());

        scene.run();

        assertThat(scene.column("attempts", "interrupted")).isEqualTo("0");
    }

    @Test
    void nothingIsChargedIfTheProbeFails() {
        scene.broker.refusedAtCommit.add("innocent");
        scene.broker.probeRefused = "the database refuses each commit";
        scene.write("a", "innocent");

        assertThat(scene.run()).isNotNull();

        assertThat(scene.column("attempts", "innocent")).isEqualTo("0");
    }

    @Test
    void slowHandlerThatFailsDoesNotFailTheRun() {
        AtomicLong nanos = new AtomicLong();
        Dispatcher second = scene.dispatcher(scene.broker, nanos::get, List.of());
        scene.broker.onComplete = sent -> {
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            return failures(sent, "poison", FakeBroker.failure(Blame.UNKNOWN));
        };
        scene.write("a", "poison");

        assertThat(DispatchScene.workerOf(second).poll()).isNull();

        assertThat(scene.column("attempts", "poison")).isEqualTo("1");
    }

    /** Another node could not have the partitions meanwhile. */
    @Test
    void slowHandlersLeaveTheRestToTheNextClaim() {
        AtomicLong nanos = new AtomicLong();
        Dispatcher second = scene.dispatcher(scene.broker, nanos::get, List.of(claims));
        scene.broker.onComplete = sent -> {
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            return Map.of();
        };
        scene.write(numbered(0, 3, 2));

        assertThat(DispatchScene.workerOf(second).poll()).isNull();

        assertThat(scene.broker.texts()).hasSize(3);
        assertThat(claims.served).hasValue(3);
    }

    @Test
    void stopWaitsForOneMessageOnly() {
        scene.write(numbered(0, 3, 2));
        scene.stopWhen(() -> !scene.broker.delivered.isEmpty());

        scene.run();

        assertThat(scene.broker.texts()).hasSize(1);
    }

    @Test
    void wishForADelayIsGranted() {
        scene.broker.onComplete = sent ->
                failures(sent, "closed", new PublishException(Blame.UNKNOWN, "closed", null, Duration.ofHours(7)));
        scene.write("a", "closed");

        assertThat(scene.run()).isNull();

        assertThat(scene.database.query("SELECT DATEDIFF(HOUR, last_attempt_at, available_at) FROM shop_message_view"))
                .containsExactly("7");
    }

    @Test
    void guaranteeIsExactlyOnceWithoutAProofAndWhateverTheConfigurationSays() {
        List<GuaranteeReport> reports = new ArrayList<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void guaranteeReported(DestinationId destination, GuaranteeReport guarantee) {
                reports.add(guarantee);
            }
        });
        scene.write("a", "1");

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.probes).hasValue(0);
        assertThat(reports).extracting(GuaranteeReport::delivery).containsExactly(Guarantee.EXACTLY_ONCE);
        assertThat(reports).extracting(GuaranteeReport::isConditional).containsExactly(false);
    }

    /** A handler may send to a queue, or work on another database, and the outbox does not see that. */
    @Test
    void guaranteeDoesNotClaimThatAHandlerNeedsNoTransactionLog() {
        GuaranteeReport report = GuaranteeReport.byHandler("PostgreSQL 18", false, "the handler Shipping.ship");

        assertThat(List.of(report.processDeath(), report.hostDeath(), report.brokerDeath(), report.lostLog()))
                .extracting(Object::toString)
                .containsExactly(
                        "exactly-once-in-order",
                        "exactly-once-in-order",
                        "unaffected-with-one-resource",
                        "unaffected-with-one-resource");
    }

    /** The second DataSource cannot take part in the transaction of the work. */
    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT5S"})
    void settlementOfAHandlerIsOnTheDataSourceOfTheCaptureAlone(String lease) {
        try (TestDatabase database = new TestDatabase()) {
            FakeBroker broker = new FakeBroker();
            broker.refusedAtCommit.add("refused");
            FakeTransactions transactions = new FakeTransactions(database.dataSource(), broker);
            OutboxConfig config = TestConfig.withHandlers(
                    Map.of("shipping", List.of("OrderPlaced")),
                    "outbox.table-prefix",
                    TestDatabase.PREFIX,
                    "outbox.dispatcher.delivery",
                    "at-least-once",
                    "outbox.dispatcher.lease",
                    lease);
            JdbcOutboxStore store = JdbcOutboxStore.open(
                            transactions.dataSource(),
                            config.store(),
                            config.destinations().keySet())
                    .dispatchingOn(transactions.withoutXa(), "jdbc/dispatching");
            Dispatcher dispatcher = new Dispatcher(
                    store,
                    Map.of("local", broker, "jms", new FakeBroker()),
                    new ThisNode("node-1", "shop", "host", "server", 1, "1.0"),
                    () -> config,
                    new Environment(transactions, () -> false));
            store.capture().write(List.of(message("OrderPlaced", "a", "healthy", "shipping")));
            store.capture().write(List.of(message("OrderPlaced", "b", "refused", "shipping")));

            assertThat(dispatcher.workers().get("shipping").poll()).isNull();

            assertThat(database.query("SELECT status || attempts FROM shop_message_view ORDER BY seq"))
                    .containsExactly("PUBLISHED1", "FAILED1");
            transactions.stop();
        }
    }
}

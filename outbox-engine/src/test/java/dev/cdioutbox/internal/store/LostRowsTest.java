package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.partition;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.sql.QueueId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards that no message is forgotten if somebody deletes rows of the outbox's own tables: a table cleaner between tests,
 * a partial restore, a DBA.
 */
class LostRowsTest extends StoreContract {
    private static final ClaimLimits ALL = limits(64, 500, 10_000_000);
    private static final String PARTITIONS =
            "SELECT CONCAT(destination, ' ', partition_no) FROM shop_partition ORDER BY destination, partition_no";
    private static final List<String> ALL_PARTITIONS = Stream.of("audit", DESTINATION)
            .flatMap(destination ->
                    IntStream.of(1, 2, 3, 4, 5, 4094, 4095).mapToObj(number -> destination + " " + number))
            .toList();
    private static final String PAUSES =
            "SELECT CONCAT(destination, ' ', paused) FROM shop_control ORDER BY destination";

    @AutoClose
    private final LogLines logged = new LogLines("dev.cdioutbox.internal.store");

    private final JdbcOutboxStore store = database.open(4);

    LostRowsTest(Database kind) {
        super(kind);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELETE FROM shop_partition",
                "DELETE FROM shop_partition WHERE destination = 'default' AND partition_no = 2",
                "DELETE FROM shop_partition WHERE destination = 'default' AND partition_no >= 3",
                "DELETE FROM shop_partition WHERE partition_no = 4094"
            })
    void partitionsThatAreGoneAreBackWithTheirMessagesAfterTheNextCheck(String cleaner) {
        store.capture().write(keyed("a", "b", "c", "d", "e", "f"));
        store.capture().write(List.of(delayed("late"), message("OrderPlaced", "audited", "audited", "audit")));

        database.update(cleaner);
        store.capture().write(List.of(message("a", "a2")));
        assertThat(store.problem()).isNull();

        assertThat(database.query(PARTITIONS)).isEqualTo(ALL_PARTITIONS);
        assertThat(lines("OBX-0320")).hasSize(1);
        store.capture().write(List.of(message("a", "a3")));
        assertThat(store.status().backlog().pending()).isEqualTo(10);
        assertThat(sent(store))
                .containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f", "a2", "a3")
                .containsSubsequence("a", "a2", "a3");
        assertThat(sent(store, "audit")).containsExactly("audited");
        makeDelayedDue();
        assertThat(store.delayed().release(DESTINATION)).isTrue();
        assertThat(sent(store)).containsExactly("late");
        assertThat(store.problem()).isNull();
        assertThat(lines("OBX-0320")).hasSize(1);
    }

    @Test
    void restartAfterTheDeletionKeepsTheOrderOfEachKey() {
        store.capture()
                .write(List.of(
                        message("a", "a1"),
                        message("b", "b1"),
                        message("a", "a2"),
                        delayed("late"),
                        message("OrderPlaced", "audited", "audited", "audit")));
        database.update("DELETE FROM shop_partition");

        JdbcOutboxStore restarted = JdbcOutboxStore.open(
                database.dataSource(),
                TestDatabase.config(SchemaMode.CREATE, "shop", 4),
                Set.of("added", DESTINATION, "audit"));
        assertThat(database.query("SELECT destination FROM shop_partition WHERE fencing_token IS NOT NULL"))
                .as("whose last batch may be unsettled")
                .containsExactlyInAnyOrder(DESTINATION, "audit");
        restarted.capture().write(List.of(message("a", "a3"), message("b", "b2")));

        assertThat(lines("OBX-0320")).hasSize(1);
        assertThat(sent(restarted))
                .containsExactlyInAnyOrder("a1", "a2", "a3", "b1", "b2")
                .containsSubsequence("a1", "a2", "a3")
                .containsSubsequence("b1", "b2");
        assertThat(sent(restarted, "audit")).containsExactly("audited");
        assertThat(restarted.status().backlog().pending()).as("the delayed one").isEqualTo(1);
        assertThat(restarted.problem()).isNull();
    }

    @Test
    void eachTableMayBeEmptiedAndTheNextEventIsSent() {
        store.capture().write(keyed("before"));
        store.operations().pause("audit", true, "somebody");
        store.problem();

        for (String table :
                List.of("message", "queue", "delivery", "partition", "blocked_key", "control", "node", "audit")) {
            truncate("shop_" + table);
        }
        store.capture().write(keyed("after"));
        assertThat(store.problem()).isNull();

        assertThat(database.query(PARTITIONS)).isEqualTo(ALL_PARTITIONS);
        assertThat(database.query(PAUSES)).containsExactly("* 0", "audit 1", "default 0");
        assertThat(sent(store)).containsExactly("after");
        assertThat(store.operations().pause(DESTINATION, true, "somebody")).isTrue();
    }

    @Test
    void nodesThatNoticeAtTheSameMomentInsertEachRowOnce() throws Exception {
        List<JdbcOutboxStore> nodes = List.of(store, database.open(4), database.open(4), database.open(4));
        store.capture().write(keyed("a", "b", "c", "d"));
        database.update("DELETE FROM shop_partition");

        ExecutorService threads = Executors.newFixedThreadPool(nodes.size());
        try {
            List<Callable<String>> checks =
                    nodes.stream().map(node -> (Callable<String>) node::problem).toList();
            for (Future<String> check : threads.invokeAll(checks)) {
                assertThat(check.get()).isNull();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(database.query(PARTITIONS)).isEqualTo(ALL_PARTITIONS);
        nodes.forEach(node -> node.capture().write(List.of(message("a", "more"))));
        assertThat(sent(store)).hasSize(8);
        assertThat(store.status().backlog().pending()).isZero();
    }

    @Test
    void eachIncidentIsReportedOnce() {
        store.capture().write(keyed("a"));
        for (int incident = 1; incident <= 2; incident++) {
            database.update(
                    "UPDATE shop_queue SET queue_id = ?",
                    QueueId.ofBlockedKey(0).value());
            assertThat(store.problem()).startsWith("OBX-0322").contains("default=1", "shop_blocked_key");
            assertThat(store.problem()).startsWith("OBX-0322");
            assertThat(lines("OBX-0322")).hasSize(incident);
            database.update("UPDATE shop_queue SET queue_id = (SELECT m.partition_id FROM shop_message m)");
            assertThat(store.problem()).isNull();
        }
    }

    /** Of three keys, the second one has lost its row. */
    @Test
    void messagesBetweenBlockedKeysAreReported() {
        store.capture().write(keyed("a", "b", "c"));
        store.settlements().settleUnsent(unsent(List.of(failed("a"), failed("b"), failed("c"))));
        List<String> ids = database.query("SELECT id FROM shop_blocked_key ORDER BY id");

        for (String id : ids) {
            database.update("UPDATE shop_queue SET queue_id = queue_id + 1 WHERE queue_id = " + id);
            assertThat(store.problem()).startsWith("OBX-0322").contains("default=1");
            database.update("UPDATE shop_queue SET queue_id = queue_id - 1 WHERE queue_id = " + id + " + 1");
        }

        assertThat(store.problem()).isNull();
    }

    /** Also if the table is emptied as a whole, and its identity, if it had one, begins again. */
    @Test
    void retryBringsTheMessagesOfADeletedBlockedKeyHome() {
        store.capture().write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        store.settlements().settleUnsent(unsent(List.of(failed("a1"))));
        assertThat(sent(store)).containsExactly("b1");
        truncate("shop_blocked_key");
        store.capture().write(List.of(message("c", "c1")));
        store.settlements().settleUnsent(unsent(List.of(failed("c1"))));
        database.makeDue();
        assertThat(sent(store)).as("in a queue with another id").containsExactly("c1");
        assertThat(store.problem()).startsWith("OBX-0322").contains("default=2");

        store.operations().change(MessageOperation.RETRY, List.of(database.sequence("a1")));
        store.operations().changeCommitted();

        assertThat(store.problem()).isNull();
        assertThat(sent(store)).containsExactly("a1", "a2");
    }

    @Test
    void discardedHeadOfADeletedBlockedKeyLetsTheOthersGoHome() {
        store.capture().write(List.of(message("a", "a1"), message("a", "a2")));
        store.settlements().settleUnsent(unsent(List.of(failed("a1"))));
        assertThat(sent(store)).isEmpty();
        database.update("DELETE FROM shop_blocked_key");

        store.operations().change(MessageOperation.DISCARD, List.of(database.sequence("a1")));
        store.operations().changeCommitted();

        assertThat(sent(store)).containsExactly("a2");
    }

    @Test
    void operationNeedsNoPartition() {
        store.capture().write(keyed("a"));
        long a = database.sequence("a");
        store.settlements().settleSent(TestMessages.sent(List.of(a)));
        database.update("DELETE FROM shop_partition");

        assertThat(store.operations().change(MessageOperation.REPLAY, List.of(a)))
                .containsExactly(a);
        store.operations().changeCommitted();

        assertThat(store.problem()).isNull();
        assertThat(sent(store)).containsExactly("a");
    }

    /** As if the hash of another destination were the same. */
    @ParameterizedTest
    @ValueSource(strings = {"application = 'other'", "destination = 'elsewhere'"})
    void destinationWhoseIdsAnotherOneHasIsRefused(String other) {
        database.update("UPDATE shop_partition SET " + other + " WHERE destination = 'audit'");

        for (int check = 1; check <= 2; check++) {
            assertThat(store.problem())
                    .startsWith("OBX-0355: destination 'audit' of application 'shop' has the same hash");
        }
        assertThat(lines("OBX-0355")).hasSize(1);
        assertThatThrownBy(() -> database.open(4))
                .hasMessageStartingWith("OBX-0355")
                .hasMessageContaining(other.substring(other.indexOf('\'')));
        store.capture().write(keyed("a"));
        assertThat(sent(store)).as("of another destination").containsExactly("a");
    }

    @Test
    void numberOfPartitionsIsKnownAsLongAsOneRowIsThere() {
        database.update("DELETE FROM shop_partition WHERE destination = 'audit' AND partition_no <> 3");

        assertThatThrownBy(() -> database.open(8))
                .hasMessageStartingWith("OBX-0306: outbox.partitions is 8, but destination 'audit'")
                .hasMessageContaining("was created with 4");
    }

    @Test
    void startFillsAGapBetweenPartitions() {
        database.update("DELETE FROM shop_partition WHERE destination = 'default' AND partition_no = 3");

        JdbcOutboxStore restarted = database.open(4);

        assertThat(lines("OBX-0320")).hasSize(1);
        restarted.capture().write(keyed("a", "b", "c", "d", "e"));
        assertThat(sent(restarted)).hasSize(5);
    }

    /** Somebody has changed the destination by hand. */
    @Test
    void messageOfAnotherDestinationIsAbandonedAndTheOthersAreSent() {
        store.capture().write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        long a1 = database.sequence("a1");
        database.update("UPDATE shop_message SET destination = 'audit' WHERE seq = " + a1);

        try (Claim claim = claim(store, ALL)) {
            assertThat(texts(claim.messages())).as("without its key").containsExactly("b1");
            assertThat(claim.unreadable()).singleElement().satisfies(row -> {
                assertThat(row.sequence()).isEqualTo(a1);
                assertThat(row.problem()).startsWith("OBX-0327").contains("'audit'");
            });
        }
        Retry abandoned = new Retry(a1, OutboxStatus.ABANDONED, 1, null, "no", false);
        store.settlements().settleUnsent(unsent(List.of(abandoned)));
        assertThat(sent(store)).containsExactlyInAnyOrder("a2", "b1");
        database.update("UPDATE shop_message SET partition_id = ? WHERE seq = ?", partition("audit", 2), a1);
        assertThat(store.operations().change(MessageOperation.RETRY, List.of(a1)))
                .hasSize(1);
        store.operations().changeCommitted();
        assertThat(sent(store, "audit")).containsExactly("a1");
    }

    private List<String> lines(String code) {
        return logged.all().stream().filter(line -> line.startsWith(code)).toList();
    }

    private static NewMessage delayed(String text) {
        return terms(message("late", text), new NewMessage.Terms(Instant.now().plusSeconds(900), null, null));
    }

    private void makeDelayedDue() {
        database.setTime("queue", "available_at", Instant.now().minusSeconds(1), "available_at IS NOT NULL");
    }

    private Retry failed(String text) {
        return new Retry(database.sequence(text), OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true);
    }

    private static List<String> sent(JdbcOutboxStore some) {
        return sent(some, DESTINATION);
    }

    private static List<String> sent(JdbcOutboxStore some, String destination) {
        List<String> sent = new ArrayList<>();
        try (Claim claim =
                TestMessages.claim(some, some.claims().rowLocks(destination), 0, ALL, some.pendingRows()::lockable)) {
            sent.addAll(texts(claim.messages()));
            TestMessages.publishAll(some, claim);
        }
        return sent;
    }

    /** Empties a table; its ids begin again. */
    private void truncate(String table) {
        database.update("TRUNCATE TABLE " + table
                + (database.kind().dialect() == SupportedDatabases.MARIADB ? "" : " RESTART IDENTITY"));
    }
}

package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.admin.MessageOperation;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.operate.OutboxBacklog;
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
            .flatMap(destination -> IntStream.rangeClosed(-1, 4).mapToObj(number -> destination + " " + number))
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
                "DELETE FROM shop_partition WHERE partition_no = -1"
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

    /** The ids of the deleted rows may be in use again, by other partitions. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void restartAfterTheDeletionKeepsTheOrderOfEachKey(boolean idsBeginAgain) {
        store.capture()
                .write(List.of(
                        message("a", "a1"),
                        message("b", "b1"),
                        message("a", "a2"),
                        delayed("late"),
                        message("OrderPlaced", "audited", "audited", "audit")));
        if (idsBeginAgain) {
            truncate("shop_partition");
        } else {
            database.update("DELETE FROM shop_partition");
        }

        JdbcOutboxStore restarted = JdbcOutboxStore.open(
                database.dataSource(),
                TestDatabase.config(SchemaMode.CREATE, "shop", 4),
                Set.of("added", DESTINATION, "audit"));
        assertThat(database.query("SELECT destination FROM shop_partition WHERE owner IS NOT NULL"))
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
    void nodeTakesOverTheIdsThatAnotherOneHasGiven() {
        database.update("DELETE FROM shop_partition");
        JdbcOutboxStore other = database.open(4);
        store.capture().write(keyed("a", "b", "c"));
        assertThat(sent(store)).as("before the check").isEmpty();

        assertThat(store.problem()).isNull();

        store.capture().write(List.of(message("a", "a2")));
        assertThat(sent(other)).containsExactlyInAnyOrder("a", "b", "c", "a2").containsSubsequence("a", "a2");
        assertThat(store.problem()).isNull();
    }

    /** A node stores messages under the old ids until its own check. */
    @Test
    void checkOfEachNodeMovesWhatWasStoredUnderOldIds() {
        JdbcOutboxStore other = database.open(4);
        database.update("DELETE FROM shop_partition");
        assertThat(store.problem()).isNull();
        other.capture().write(keyed("a", "b", "c"));
        assertThat(sent(store)).isEmpty();

        assertThat(store.problem()).isNull();

        assertThat(sent(store)).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(lines("OBX-0320")).as("both times").hasSize(2);
        assertThat(lines("OBX-0322")).isEmpty();
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

    /** Most likely in doubt. Their transaction ends, and the next check moves them if they still wait. */
    @Test
    void messageThatAnotherTransactionLocksIsMovedLater() throws SQLException {
        store.capture().write(List.of(message("a", "a1"), message("b", "b1")));
        try (Connection delivery = database.dataSource().getConnection()) {
            delivery.setAutoCommit(false);
            JdbcStatement.of(delivery, "UPDATE shop_queue SET attempts = 1 WHERE seq = ?", database.sequence("a1"))
                    .update();
            database.update("DELETE FROM shop_partition");
            assertThat(store.problem()).startsWith("OBX-0322").contains("default=1");
            assertThat(sent(store)).containsExactly("b1");
            delivery.rollback();
        }

        assertThat(store.problem()).isNull();

        assertThat(sent(store)).containsExactly("a1");
    }

    @Test
    void messagesWithoutAPartitionAreCountedAndReported() {
        for (int incident = 1; incident <= 2; incident++) {
            store.capture().write(List.of(message("OrderPlaced", "audited", "audited", "audit")));
            database.update("DELETE FROM shop_partition WHERE destination = 'audit'");

            JdbcOutboxStore restarted = JdbcOutboxStore.open(
                    database.dataSource(), TestDatabase.config(SchemaMode.CREATE, "shop", 4), Set.of(DESTINATION));
            for (int check = 1; check <= 2; check++) {
                assertThat(restarted.problem()).startsWith("OBX-0322").contains("audit=1", "shop_blocked_key");
            }
            assertThat(lines("OBX-0322")).hasSize(incident);
            OutboxBacklog backlog = restarted.status().backlog();
            assertThat(backlog.pending()).isEqualTo(1);
            assertThat(backlog.oldestOf()).containsOnlyKeys("audit");

            assertThat(store.problem()).as("a node that knows the destination").isNull();
            assertThat(restarted.problem()).isNull();
            assertThat(sent(store, "audit")).containsExactly("audited");
        }
    }

    @Test
    void checkLogsEachIncident() {
        database.update("INSERT INTO shop_message (message_id, application, event_type, schema_version, partition_no,"
                + " destination, content_type, payload, payload_bytes, occurred_at)"
                + " SELECT '" + UUID.randomUUID() + "', 'shop', 'e', 1, 0, 'gone', 'text/plain', 'x', 1, created"
                + " FROM (SELECT MAX(applied_at) AS created FROM shop_schema) s");
        for (int incident = 1; incident <= 2; incident++) {
            database.update("INSERT INTO shop_queue (seq, queue_id) SELECT seq, 4999999999 FROM shop_message");
            assertThat(store.problem()).startsWith("OBX-0322");
            assertThat(store.problem()).startsWith("OBX-0322");
            assertThat(lines("OBX-0322")).hasSize(incident);
            database.update("DELETE FROM shop_queue");
            assertThat(store.problem()).isNull();
        }
    }

    @Test
    void followersOfABlockedKeyThatIsGoneGoBackToTheirPartition() {
        store.capture().write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        store.settlements().settleUnsent(unsent(List.of(failed("a1"))), null);
        assertThat(sent(store)).containsExactly("b1");

        database.update("DELETE FROM shop_blocked_key");

        assertThat(store.problem()).isNull();
        assertThat(sent(store)).as("the retry is not due").isEmpty();
        database.makeDue();
        assertThat(sent(store)).containsExactly("a1", "a2");
        assertThat(lines("OBX-0320")).hasSize(1);
    }

    /** With {@code outbox.retry.on-abandon=block}, its followers wait for an operator. */
    @Test
    void abandonedMessageBlocksItsKeyAlsoInThePartition() {
        store.capture().write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        long a1 = database.sequence("a1");
        Retry never = new Retry(a1, OutboxStatus.ABANDONED, 1, null, "no", true);
        Retry alone = new Retry(database.sequence("b1"), OutboxStatus.ABANDONED, 1, null, "no", false);
        store.settlements().settleUnsent(unsent(List.of(never, alone)), null);
        assertThat(sent(store)).isEmpty();
        database.update("DELETE FROM shop_partition");

        JdbcOutboxStore restarted = database.open(4);

        assertThat(restarted.status().backlog().abandoned()).isEqualTo(2);
        assertThat(sent(restarted)).isEmpty();
        restarted.operations().change(MessageOperation.RETRY, List.of(a1));
        restarted.operations().changeCommitted();
        assertThat(sent(restarted)).containsExactly("a1", "a2");
    }

    @Test
    void operationThatFindsNoPartitionChangesNothing() {
        store.capture().write(keyed("a"));
        long a = database.sequence("a");
        store.settlements().settleSent(TestMessages.sent(List.of(a)), null);
        database.update("DELETE FROM shop_partition");

        assertThatThrownBy(() -> store.operations().change(MessageOperation.REPLAY, List.of(a)))
                .hasMessageStartingWith("OBX-0323");

        assertThat(database.statuses()).containsExactly("PUBLISHED");
        store.capture().write(keyed("b"));
        assertThat(store.operations().change(MessageOperation.DISCARD, List.of(database.sequence("b"))))
                .hasSize(1);
        store.problem();
        assertThat(store.operations().change(MessageOperation.REPLAY, List.of(a)))
                .containsExactly(a);
    }

    @Test
    void delayedMessageWaitsUntilItsPartitionIsBack() {
        store.capture()
                .write(List.of(terms(
                        message("a", "late"), new NewMessage.Terms(Instant.now().minusSeconds(9), null, null))));
        database.update("DELETE FROM shop_partition WHERE partition_no >= 0");

        assertThat(store.delayed().release(DESTINATION)).isFalse();
        store.problem();

        assertThat(store.delayed().release(DESTINATION)).isTrue();
        assertThat(sent(store)).containsExactly("late");
    }

    @Test
    void startNeverAdvisesANumberThatGivesKeysOtherPartitions() {
        database.update("DELETE FROM shop_partition WHERE destination = 'default' AND partition_no > 2");

        assertThatThrownBy(() -> database.open(4))
                .hasMessageStartingWith("OBX-0306")
                .hasMessageContainingAll("from 0 to 1", "if it was changed, set it back", "rows of", "were deleted")
                .hasMessageNotContaining("3 partitions");
    }

    @Test
    void startFillsAGapBetweenPartitions() {
        database.update("DELETE FROM shop_partition WHERE destination = 'default' AND partition_no = 1");

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
        store.settlements().settleUnsent(unsent(List.of(abandoned)), null);
        assertThat(sent(store)).containsExactlyInAnyOrder("a2", "b1");
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
        try (Claim claim = some.claims().claim(destination, 0, ALL, some.settlements()::lockable)) {
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

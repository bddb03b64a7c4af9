package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.settlement;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.problem.LogLines;
import dev.cdioutbox.internal.store.admin.MessageOperation;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards that no message is forgotten if somebody deletes rows of the outbox's own tables: a table cleaner between tests,
 * a partial restore, a DBA.
 */
class LostRowsTest extends StoreContract {
    private static final Claim.Limits ALL = limits(64, 500, 10_000_000);
    private static final String IDS = "SELECT CONCAT(destination, ' ', partition_no, ' ', id) FROM shop_partition"
            + " ORDER BY destination, partition_no";
    private static final String PAUSES =
            "SELECT CONCAT(destination, ' ', paused) FROM shop_control ORDER BY destination";

    @AutoClose
    private final LogLines logged = new LogLines("dev.cdioutbox.internal.store");

    private final JdbcOutboxStore store = database.open(4);
    private boolean readOnly;

    LostRowsTest(Database kind) {
        super(kind);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELETE FROM shop_partition",
                "DELETE FROM shop_partition WHERE destination = 'default' AND partition_no = 2",
                "DELETE FROM shop_partition WHERE destination = 'default' AND partition_no = 3",
                "DELETE FROM shop_partition WHERE partition_no = -1"
            })
    void partitionsThatAreGoneAreBackUnderTheirIdsWithTheNextCheck(String cleaner) {
        List<String> before = database.query(IDS);
        store.write(keyed("a", "b", "c", "d", "e", "f"));

        database.update(cleaner);
        assertThat(store.problem()).isNull();

        assertThat(database.query(IDS)).isEqualTo(before);
        assertThat(logged.all()).anyMatch(line -> line.startsWith("OBX-0320"));
        store.write(keyed("g"));
        assertThat(sent(store)).containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f", "g");
    }

    @Test
    void eachTableMayBeEmptiedAndTheNextEventIsSent() {
        store.write(keyed("before"));
        store.operations().pause("audit", true, "somebody");
        store.problem();
        List<String> ids = database.query(IDS);

        for (String table : List.of("message", "partition", "blocked_key", "control", "node", "audit")) {
            truncate("shop_" + table);
        }
        store.write(keyed("after"));
        assertThat(store.problem()).isNull();

        assertThat(database.query(IDS)).isEqualTo(ids);
        assertThat(database.query(PAUSES)).containsExactly("* 0", "audit 1", "default 0");
        assertThat(sent(store)).containsExactly("after");
        assertThat(store.operations().pause(DESTINATION, true, "somebody")).isTrue();
        // The sequence of the ids began again, and the rows that are back have its next ones.
        JdbcOutboxStore more = JdbcOutboxStore.open(
                database.dataSource(), TestDatabase.config(SchemaMode.CREATE, "shop", 4), Set.of(DESTINATION, "third"));
        assertThat(more.problem()).isNull();
        assertThat(database.query("SELECT COUNT(*) FROM shop_partition")).containsExactly("15");
    }

    @Test
    void nodeTakesOverTheIdsThatAnotherOneHasGiven() {
        database.update("DELETE FROM shop_partition");
        JdbcOutboxStore other = database.open(4);
        assertThat(store.problem()).isNull();

        store.write(keyed("a", "b", "c"));

        assertThat(sent(other)).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(store.problem()).isNull();
    }

    @Test
    void messagesWhoseQueueNobodyKnowsAreCountedAndReported() throws IOException {
        store.write(keyed("a", "b", "c"));
        store.write(List.of(
                terms(
                        message("late", "late"),
                        new NewMessage.Terms(Instant.now().plusSeconds(900), null, null)),
                message("OrderPlaced", "audited", "audited", "audit")));
        store.settle(settlement(List.of(), List.of(failed("a"))), null);
        store.write(List.of(message("a", "a2")));
        sent(store);
        truncate("shop_partition");
        truncate("shop_blocked_key");

        JdbcOutboxStore restarted = database.open(4);

        assertThat(restarted.problem()).startsWith("OBX-0322").contains("default=3", "audit=1", "shop_blocked_key");
        assertThat(logged.all()).anyMatch(line -> line.startsWith("OBX-0322"));
        OutboxBacklog backlog = restarted.backlog();
        assertThat(backlog.pending()).isEqualTo(3);
        assertThat(backlog.failed()).isEqualTo(1);
        assertThat(backlog.oldestOf()).containsOnlyKeys(DESTINATION, "audit");
        restarted.write(keyed("new"));
        assertThat(sent(restarted)).as("no queue may have the id of an old one").containsExactly("new");

        documented("## Messages wait in queues that nobody reads").forEach(database::update);

        assertThat(restarted.problem()).isNull();
        database.makeDue();
        JdbcOutboxStore again = database.open(4);
        assertThat(sent(again)).containsExactly("a", "a2");
        assertThat(again.backlog().pending())
                .as("the delayed and the other one")
                .isEqualTo(2);
    }

    @Test
    void followersOfABlockedKeyThatIsGoneAreReported() {
        store.write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        store.settle(settlement(List.of(), List.of(failed("a1"))), null);
        sent(store);

        database.update("DELETE FROM shop_blocked_key");

        assertThat(store.problem()).startsWith("OBX-0322").contains("default=2");
        assertThat(store.backlog().pending() + store.backlog().failed()).isEqualTo(2 + unsent("b1"));
    }

    @Test
    void operationThatFindsNoPartitionChangesNothing() {
        store.write(keyed("a"));
        long a = database.sequence("a");
        store.settle(settlement(List.of(a), List.of()), null);
        database.update("DELETE FROM shop_partition");

        assertThatThrownBy(() -> store.operations().change(MessageOperation.REPLAY, List.of(a)))
                .hasMessageStartingWith("OBX-0323");

        assertThat(database.statuses()).containsExactly("PUBLISHED");
        store.problem();
        assertThat(store.operations().change(MessageOperation.REPLAY, List.of(a)))
                .containsExactly(a);
    }

    @Test
    void delayedMessageWaitsUntilItsPartitionIsBack() {
        store.write(List.of(
                terms(message("a", "late"), new NewMessage.Terms(Instant.now().minusSeconds(9), null, null))));
        database.update("DELETE FROM shop_partition WHERE partition_no >= 0");

        assertThat(store.releaseDelayed(DESTINATION)).isFalse();
        store.problem();

        assertThat(store.releaseDelayed(DESTINATION)).isTrue();
        assertThat(sent(store)).containsExactly("late");
    }

    @Test
    void startNeverAdvisesANumberThatGivesKeysOtherPartitions() {
        database.update("DELETE FROM shop_partition WHERE destination = 'default' AND partition_no = 3");

        assertThatThrownBy(() -> database.open(4))
                .hasMessageStartingWith("OBX-0306")
                .hasMessageContainingAll("from 0 to 2", "if it was changed, set it back", "rows of", "were deleted")
                .hasMessageNotContaining("3 partitions");
    }

    @Test
    void startFillsAGapBetweenPartitions() {
        database.update("DELETE FROM shop_partition WHERE destination = 'default' AND partition_no = 1");

        JdbcOutboxStore restarted = database.open(4);

        assertThat(logged.all()).anyMatch(line -> line.startsWith("OBX-0320"));
        restarted.write(keyed("a", "b", "c", "d", "e"));
        assertThat(sent(restarted)).hasSize(5);
    }

    /** Somebody has restored the partitions, and not the messages. */
    @Test
    void messageIsNotSentToTheDestinationOfAnotherOne() {
        store.write(List.of(message("OrderPlaced", "a", "a", "audit")));
        database.update("UPDATE shop_message SET queue_id = (SELECT MIN(id) FROM shop_partition"
                + " WHERE destination = 'default' AND partition_no >= 0)");

        assertThatThrownBy(() -> store.claim(DESTINATION, 0, ALL)).hasMessageStartingWith("OBX-0327");
    }

    /** After a failover, the DataSource may lead to a standby. */
    @Test
    void databaseThatRefusesChangesIsAProblem() {
        assumeThat(database.kind()).isIn(Database.H2, Database.POSTGRESQL);
        WatchedSource standby = new WatchedSource(
                database.dataSource(),
                Connection.TRANSACTION_READ_COMMITTED,
                () -> readOnly && database.kind() == Database.POSTGRESQL
                        ? "SET default_transaction_read_only = on"
                        : null);
        JdbcOutboxStore failedOver = JdbcOutboxStore.open(
                standby.dataSource(), TestDatabase.config(SchemaMode.CREATE, "shop", 4), Set.of(DESTINATION));
        assertThat(failedOver.problem()).isNull();

        readOnly = true;
        if (database.kind() == Database.H2) {
            database.update("SHUTDOWN");
            JdbcDataSource file = (JdbcDataSource) database.dataSource();
            file.setURL(file.getURL() + ";ACCESS_MODE_DATA=r");
        }

        assertThat(failedOver.problem()).startsWith("OBX-0325");
    }

    private int unsent(String text) {
        return database.query("SELECT seq FROM shop_message WHERE queue_id IS NOT NULL AND payload = ?", text)
                .size();
    }

    private Retry failed(String text) {
        return new Retry(database.sequence(text), OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true);
    }

    private static List<String> sent(JdbcOutboxStore some) {
        List<String> sent = new ArrayList<>();
        try (Claim claim = some.claim(DESTINATION, 0, ALL)) {
            sent.addAll(texts(claim.messages()));
            some.settle(
                    settlement(
                            claim.messages().stream()
                                    .map(OutboxMessage::sequence)
                                    .toList(),
                            List.of()),
                    null);
        }
        return sent;
    }

    /** Empties a table; its ids begin again. */
    private void truncate(String table) {
        database.update("TRUNCATE TABLE " + table
                + (database.kind().dialect() == SupportedDatabases.MARIADB ? "" : " RESTART IDENTITY"));
    }

    /** The statements of a section, with the prefix of the tests. */
    private static List<String> documented(String heading) throws IOException {
        String page = Files.readString(Path.of("../docs/troubleshooting.md"));
        String section = page.substring(page.indexOf(heading)).split("\n## ", 2)[0];
        return Pattern.compile("(?s)```sql\n(.*?);\\s*```")
                .matcher(section)
                .results()
                .map((MatchResult sql) -> sql.group(1).replace("outbox_", "shop_"))
                .toList();
    }
}

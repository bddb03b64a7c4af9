package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.problem.LogLines;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaTest extends StoreContract {
    SchemaTest(Database kind) {
        super(kind);
    }

    @Test
    void tablesAreCreatedUnderTheirPrefixOnly() {
        database.open(4);

        assertThat(tables())
                .containsExactlyInAnyOrder(
                        "shop_message",
                        "shop_partition",
                        "shop_node",
                        "shop_schema",
                        "shop_key_lock",
                        "shop_blocked_key",
                        "shop_inbox",
                        "shop_inbox_key",
                        "shop_archive",
                        "shop_message_view",
                        "shop_control",
                        "shop_audit",
                        "shop_audit_message");
    }

    @Test
    void creatingTwiceKeepsWhatIsThere() {
        database.open(4).write(List.of(message("order-1", "kept")));

        JdbcOutboxStore again = database.open(4);
        for (String statement : SchemaFile.statements(database.kind().dialect(), "1", TestDatabase.PREFIX)) {
            database.update(statement);
        }

        assertThat(again.find(OutboxFilter.all(), null)).hasSize(1);
        assertThat(database.query("SELECT COUNT(*) FROM shop_partition")).containsExactly("10");
        assertThat(database.query("SELECT version FROM shop_schema ORDER BY version"))
                .containsExactly("0", "1");
    }

    @RepeatedTest(5)
    void nodesThatStartTogetherOnAnEmptyDatabaseAllOpen() throws Exception {
        ExecutorService nodes = Executors.newFixedThreadPool(8);
        try {
            List<Callable<JdbcOutboxStore>> starts = new ArrayList<>();
            for (int node = 0; node < 8; node++) {
                starts.add(() -> database.open(16));
            }
            for (Future<JdbcOutboxStore> start : nodes.invokeAll(starts)) {
                assertThatCode(start::get).doesNotThrowAnyException();
            }
        } finally {
            nodes.shutdownNow();
        }
        assertThat(database.query("SELECT COUNT(*) FROM shop_partition")).containsExactly("34");
    }

    @Test
    void validatingAnEmptyDatabaseFailsAndSaysWhatToApply() {
        assertThatThrownBy(() -> database.open(SchemaMode.VALIDATE, "shop", 4))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0303: table shop_message cannot be used")
                .hasMessageContainingAll(
                        "CREATE TABLE IF NOT EXISTS shop_message (",
                        "CREATE TABLE IF NOT EXISTS shop_partition (",
                        "INTO shop_schema (version, readable_from)");
        assertThat(tables()).isEmpty();
    }

    @Test
    void validatingWhatWasCreatedSucceeds() {
        database.open(4);

        assertThatCode(() -> database.open(SchemaMode.VALIDATE, "shop", 4)).doesNotThrowAnyException();
    }

    @Test
    void noneMakesNothingAndAsksForNothing() {
        assertThatThrownBy(() -> database.open(SchemaMode.NONE, "shop", 4)).hasMessageStartingWith("OBX-0302");
        assertThat(tables()).isEmpty();

        database.open(4);
        database.rename("shop_node", "host", "other");

        assertThatCode(() -> database.open(SchemaMode.NONE, "shop", 4)).doesNotThrowAnyException();
    }

    @Test
    void tableOfAnotherShapeFailsTheStart() {
        database.open(4);
        for (String column : List.of(
                "message.headers",
                "message.last_error",
                "message.partition_no",
                "partition.partition_no",
                "inbox.received_at",
                "inbox_key.last_sequence",
                "node.last_tick_at")) {
            String table = "shop_" + column.substring(0, column.indexOf('.'));
            String name = column.substring(column.indexOf('.') + 1);
            database.rename(table, name, "other");

            for (SchemaMode mode : List.of(SchemaMode.VALIDATE, SchemaMode.CREATE)) {
                assertThatThrownBy(() -> database.open(mode, "shop", 4))
                        .as("%s, %s", mode, column)
                        .isInstanceOf(OutboxException.class)
                        .hasMessageContainingAll("ALTER TABLE " + table + " ADD " + name + " ")
                        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("CREATE TABLE"));
            }

            if (!table.equals("shop_partition")) {
                // That one has rows, for which no value is known.
                apply(catchThrowable(() -> database.open(SchemaMode.VALIDATE, "shop", 4)));
                assertThatCode(() -> database.open(SchemaMode.VALIDATE, "shop", 4))
                        .as(column)
                        .doesNotThrowAnyException();
                // Not all databases let go of what a view needs.
                database.rename(table, name, "added_" + name);
            }
            database.rename(table, "other", name);
        }
        assertThatCode(() -> database.open(SchemaMode.VALIDATE, "shop", 4)).doesNotThrowAnyException();
    }

    /** As whoever reads the message does. */
    private void apply(Throwable refused) {
        String message = refused.getMessage();
        for (String statement : message.substring(message.indexOf('\n') + 1).split(";\\s*")) {
            database.update(statement);
        }
    }

    /** A permission that is missing, say, or a connection that broke: nothing is made then, as if there were nothing. */
    @Test
    void onlyATableThatIsNotThereCountsAsNone() {
        database.open(4);
        database.update("DROP TABLE shop_node");
        database.rename("shop_schema", "readable_from", "other");

        assertThatThrownBy(() -> database.open(4)).hasMessageStartingWith("OBX-0302");

        assertThat(tables()).doesNotContain("shop_node");
    }

    @ParameterizedTest
    @CsvSource({"CREATE", "VALIDATE"})
    void newerSchemaIsRefused(SchemaMode mode) {
        database.open(4);
        database.update("INSERT INTO shop_schema (version, readable_from) VALUES (2, 2)");

        assertThatThrownBy(() -> database.open(mode, "shop", 4))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0308: table shop_message cannot be used: it belongs to a newer version");
    }

    @ParameterizedTest
    @CsvSource({"CREATE", "VALIDATE"})
    void newerSchemaThatThisVersionMayReadIsUsed(SchemaMode mode) {
        database.open(4);
        database.update("INSERT INTO shop_schema (version, readable_from) VALUES (2, 1)");

        assertThatCode(() -> database.open(mode, "shop", 4)).doesNotThrowAnyException();
    }

    /** As on a server: what takes part in a global transaction refuses to leave it. */
    @Test
    void withinAGlobalTransactionNothingIsMade() throws Exception {
        try (TransactionSource transaction = new TransactionSource(database.dataSource())) {
            transaction.begin();

            assertThatThrownBy(() -> JdbcOutboxStore.open(
                            transaction.dataSource(),
                            TestDatabase.config(SchemaMode.CREATE, "shop", 4),
                            Set.of(TestMessages.DESTINATION)))
                    .hasMessageStartingWith("OBX-0302")
                    .hasMessageContaining("global transaction");
            transaction.commit();
        }

        assertThat(tables()).isEmpty();
    }

    /** What stands in another schema, on each database found under the name that is configured. */
    @Test
    void tablesMayBeInASchemaOfTheirOwn() {
        String prefix = database.otherSchema() + ".box_";
        StoreConfig config =
                new StoreConfig("jdbc/shop", SchemaMode.CREATE, prefix, "shop", 4, StoreConfig.Ordering.STRICT, null);

        JdbcOutboxStore store = JdbcOutboxStore.open(database.dataSource(), config, Set.of(TestMessages.DESTINATION));
        EveryStatement.run(store);

        assertThat(tables()).isEmpty();
        assertThat(database.query("SELECT seq FROM " + prefix + "archive")).isNotEmpty();
        assertThatCode(() -> JdbcOutboxStore.open(
                        database.dataSource(),
                        new StoreConfig(
                                "jdbc/shop", SchemaMode.VALIDATE, prefix, "shop", 4, StoreConfig.Ordering.STRICT, null),
                        Set.of(TestMessages.DESTINATION)))
                .doesNotThrowAnyException();
    }

    @Test
    void creationThatWasCutShortBeforeItsEndIsTakenUp() {
        database.open(4);
        database.update("DELETE FROM shop_schema");

        assertThatThrownBy(() -> database.open(SchemaMode.VALIDATE, "shop", 4)).hasMessageStartingWith("OBX-0303");
        try (LogLines logged = new LogLines(SchemaSetup.class.getName())) {
            database.open(4);
            database.open(4);

            assertThat(logged.all())
                    .containsExactly(
                            "OBX-0310: the tables of shop_message were brought from version 0 to version 1 (0 is none).");
        }
        assertThat(database.query("SELECT version FROM shop_schema ORDER BY version"))
                .containsExactly("0", "1");
    }

    @Test
    void missingTableIsCreatedAgain() {
        database.open(4);
        database.update("DROP TABLE shop_node");

        JdbcOutboxStore store = database.open(4);

        store.writeHeartbeat(new NodeIdentity("n", "host", "server", 1, "1.0"));
        store.writeHeartbeat(new NodeIdentity("n", "host", "server", 1, "1.0"));
        assertThat(database.query("SELECT node_id FROM shop_node")).containsExactly("n");
    }

    /** Without one, each claim would read all that was ever published, or be refused where it is named. */
    @ParameterizedTest
    @CsvSource({
        "message, message_id",
        "message, message_queue",
        "message, message_due",
        "blocked_key, blocked_key_unique",
        "blocked_key, blocked_key_due",
        "inbox, inbox_received",
        "inbox_key, inbox_key_received"
    })
    void indexThatIsMissingIsMadeAgainOrAskedFor(String table, String index) {
        database.open(4);
        database.dropIndex("shop_" + table, "shop_" + index);

        assertThatThrownBy(() -> database.open(SchemaMode.VALIDATE, "shop", 4))
                .hasMessageStartingWith(
                        "OBX-0303: table shop_message cannot be used: its index shop_%s on shop_%s is missing",
                        index, table);
        if (database.kind() == Database.MARIADB) {
            assertThatThrownBy(() -> database.open(4))
                    .hasMessageStartingWith(
                            "OBX-0308: table shop_message cannot be used: its index shop_%s on shop_%s is missing",
                            index, table);
            apply(catchThrowable(() -> database.open(4)));
            database.open(4);
        } else {
            database.open(4);
        }
        assertThatCode(() -> database.open(SchemaMode.VALIDATE, "shop", 4)).doesNotThrowAnyException();
    }

    /** Who writes would wait for as long as it takes. */
    @Test
    void indexOfATableInUseIsNotMadeByANodeThatStarts() {
        database.open(4).write(List.of(message("order-1", "waits")));
        database.dropIndex("shop_message", "shop_message_queue");

        Throwable refusal = catchThrowable(() -> database.open(4));

        assertThat(refusal)
                .hasMessageStartingWith(
                        "OBX-0308: table shop_message cannot be used: its index shop_message_queue on shop_message is missing")
                .hasMessageContaining(database.kind() == Database.POSTGRESQL ? "INDEX CONCURRENTLY" : "INDEX ");
        apply(refusal);
        assertThatCode(() -> database.open(SchemaMode.VALIDATE, "shop", 4)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"3", "5"})
    void numberOfPartitionsIsFixed(int partitions) {
        database.open(4);

        assertThatThrownBy(() -> database.open(partitions))
                .hasMessageStartingWith("OBX-0306: outbox.partitions is " + partitions)
                .hasMessageContainingAll("application 'shop'", "created with 4 partitions");
    }

    @Test
    void anotherApplicationMayHaveAnotherNumberOfPartitions() {
        database.open(4);

        assertThatCode(() -> database.open(SchemaMode.CREATE, "other", 7)).doesNotThrowAnyException();
    }

    private List<String> tables() {
        return database.query("SELECT LOWER(table_name) FROM information_schema.tables WHERE table_schema = "
                + database.kind().dialect().currentSchema());
    }
}

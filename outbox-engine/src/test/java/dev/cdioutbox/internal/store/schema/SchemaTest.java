package dev.cdioutbox.internal.store.schema;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EveryStatement;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.TransactionSource;
import dev.cdioutbox.internal.store.WatchedSource;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards that a start creates or checks the tables, and refuses tables that this version cannot use. */
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
                        "shop_queue",
                        "shop_delivery",
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

    @ParameterizedTest
    @CsvSource({"queue, -1", "queue, 3", "delivery, 2", "delivery, 6"})
    void numberThatIsNoStatusOfTheTableIsRefused(String table, int number) {
        database.open(1).capture().write(List.of(message("a", "waiting"), message("b", "sent")));
        database.settle(OutboxStatus.PUBLISHED, "payload = 'sent'");

        assertThatThrownBy(() -> database.update("UPDATE shop_%s SET status = %d".formatted(table, number)))
                .rootCause()
                .message()
                .containsIgnoringCase("shop_" + table + "_status");
    }

    @Test
    void creatingTwiceKeepsWhatIsThere() {
        database.open(4).capture().write(List.of(message("order-1", "kept")));

        JdbcOutboxStore again = database.open(4);
        for (String statement : file().statements()) {
            database.update(statement);
        }

        assertThat(again.finder().find(OutboxFilter.all(), OutboxPageRequest.of(100)))
                .hasSize(1);
        assertThat(database.query("SELECT COUNT(*) FROM shop_partition")).containsExactly("14");
        assertThat(database.query("SELECT version FROM shop_schema ORDER BY version"))
                .containsExactly("1");
    }

    @RepeatedTest(2)
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
        assertThat(database.query("SELECT COUNT(*) FROM shop_partition")).containsExactly("38");
    }

    @Test
    void validatingAnEmptyDatabaseFailsAndSaysWhatToApply() {
        assertThatThrownBy(() -> database.open(SchemaMode.VALIDATE, "shop", 4))
                .isInstanceOf(OutboxException.class)
                .hasMessage(
                        "OBX-0303: the tables of shop_message do not exist or are incomplete, and outbox.schema=validate creates"
                                + " none. Apply dev/cdioutbox/internal/store/schema/%s/1.sql in outbox-engine.jar (${prefix} is shop_,"
                                + " ${index} is shop_), or set outbox.schema=create.",
                        database.kind().dialect().folder());
        assertThat(tables()).isEmpty();

        file().statements().forEach(database::update);
        assertThatCode(() -> database.open(SchemaMode.VALIDATE, "shop", 4)).doesNotThrowAnyException();
    }

    @Test
    void validatingWhatWasCreatedSucceeds() {
        database.open(4);

        assertThatCode(() -> database.open(SchemaMode.VALIDATE, "shop", 4)).doesNotThrowAnyException();
    }

    @Test
    void noneMakesNothingAndAsksForNothing() {
        assertThatThrownBy(() -> database.open(SchemaMode.NONE, "shop", 4)).hasMessageStartingWith("OBX-0223");
        assertThat(tables()).isEmpty();

        database.open(4);
        database.rename("shop_node", "host", "other");

        assertThatCode(() -> database.open(SchemaMode.NONE, "shop", 4)).doesNotThrowAnyException();
    }

    /** Tables that were made by hand may lack the row of the version. */
    @Test
    void noneNeedsNoRecordedVersion() {
        List<String> statements = file().statements();
        statements.subList(0, statements.size() - 2).forEach(database::update);
        assertThatThrownBy(() -> database.open(SchemaMode.NONE, "shop", 4)).hasMessageStartingWith("OBX-0223");

        database.update(statements.get(statements.size() - 2));

        assertThatCode(() -> database.open(SchemaMode.NONE, "shop", 4)).doesNotThrowAnyException();
    }

    /** An opening that finds no tables is repeated each second. */
    @Test
    void openingWithoutTablesLogsNothing() {
        DataSource source = new WatchedSource(database.dataSource(), Connection.TRANSACTION_SERIALIZABLE).dataSource();
        try (LogLines log = new LogLines(SetupCheck.class.getName())) {
            assertThatThrownBy(() -> open(source)).hasMessageStartingWith("OBX-0223");
            assertThat(log.all()).isEmpty();

            database.open(4);
            open(source);
            assertThat(log.all()).isNotEmpty();
        }
    }

    private static JdbcOutboxStore open(DataSource source) {
        return JdbcOutboxStore.open(
                source, TestDatabase.config(SchemaMode.NONE, "shop", 4), Set.of(TestMessages.DESTINATION));
    }

    /**
     * The shape is declared beside the scripts. This test fails on a column or an index that only one of the two has.
     */
    @Test
    void shapeIsWhatTheFileCreates() throws SQLException {
        database.open(4);
        SchemaShape shape = new SchemaShape(TestDatabase.PREFIX, database.kind().dialect());

        try (Connection connection = database.dataSource().getConnection()) {
            for (SchemaShape.Table table : SchemaShape.TABLES) {
                assertThat(columns(connection, TestDatabase.PREFIX + table.name()))
                        .as(table.name())
                        .containsExactlyInAnyOrderElementsOf(table.columns());
                assertThat(shape.indexes(connection, table.name()))
                        .as(table.name())
                        .filteredOn(index -> index.startsWith("shop_") && !index.endsWith("key"))
                        .containsExactlyInAnyOrderElementsOf(
                                table.indexes().stream().map("shop_"::concat).toList());
            }
        }
        assertThat(SchemaShape.TABLES)
                .extracting(table -> "shop_" + table.name())
                .containsExactlyInAnyOrderElementsOf(tables());
    }

    @ParameterizedTest
    @CsvSource({"CREATE", "VALIDATE"})
    void missingColumnFailsTheStart(SchemaMode mode) {
        JdbcOutboxStore store = database.open(4);
        for (String column : List.of(
                "message.headers",
                "queue.requeued_at",
                "delivery.settled_at",
                "partition.owner",
                "partition.fencing_token",
                "archive.archived_at",
                "node.partitions_held")) {
            String table = "shop_" + column.substring(0, column.indexOf('.'));
            String name = column.substring(column.indexOf('.') + 1);
            database.rename(table, name, "other");

            assertThatThrownBy(() -> database.open(mode, "shop", 4))
                    .isInstanceOf(OutboxException.class)
                    .hasMessageStartingWith("OBX-0308: the tables of shop_message cannot be used: %s: ", table)
                    .hasMessageContaining(name(name))
                    .hasMessageContaining("/%s/1.sql", database.kind().dialect().folder());
            assertThat(store.problem()).contains(table + ": ").contains(name(name));
            database.rename(table, "other", name);
        }
        assertThat(store.problem()).isNull();
        assertThatCode(() -> database.open(mode, "shop", 4)).doesNotThrowAnyException();
    }

    /** A missing privilege or a broken connection must not count as a missing table: the start would create tables. */
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
                .hasMessageStartingWith(
                        "OBX-0308: the tables of shop_message cannot be used: they are of version 2, and this outbox works with version 1.");
    }

    /** During a rolling upgrade, an administrator has applied a script that adds a column and drops an index. */
    @Test
    void newerSchemaThatThisVersionMayReadIsUsed() {
        JdbcOutboxStore running = database.open(4);
        database.update("ALTER TABLE shop_message ADD note VARCHAR(20) DEFAULT 'none'");
        database.dropIndex("shop_inbox", "shop_inbox_received");
        database.update("INSERT INTO shop_schema (version, readable_from) VALUES (2, 1)");

        EveryStatement.run(running);
        database.deleteMessages();
        EveryStatement.run(database.open(SchemaMode.CREATE, "shop", 4));
        assertThatCode(() -> database.open(SchemaMode.VALIDATE, "shop", 4)).doesNotThrowAnyException();
    }

    /** An outbox of version 2 finds tables of version 1, and names the script between the two. */
    @ParameterizedTest
    @CsvSource({"CREATE", "VALIDATE"})
    void olderSchemaFailsTheStartAndNamesTheFileToApply(SchemaMode mode) throws SQLException {
        database.open(4);

        try (Connection connection = database.dataSource().getConnection()) {
            SchemaSetup next = NextVersion.setup(mode, database.kind().dialect());
            assertThatThrownBy(() -> next.prepare(connection))
                    .hasMessageStartingWith(
                            "OBX-0308: the tables of shop_message cannot be used: they are of version 1, and this outbox works with version 2.")
                    .hasMessageContaining(
                            "/%s/1-to-2.sql", database.kind().dialect().folder());
        }
    }

    /** As on a server, a connection in a global transaction refuses to leave that transaction. */
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

    /** Open Liberty rolls back what a read leaves open, with an exception that fails the dispatcher's call. */
    @Test
    void connectionsThatComeWithoutAutoCommitAreRefused() {
        DataSource off = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    Connection connection = database.dataSource().getConnection();
                    connection.setAutoCommit(false);
                    return connection;
                });
        JdbcOutboxStore store = database.open(4);

        assertThatThrownBy(() -> JdbcOutboxStore.open(
                        off, TestDatabase.config(SchemaMode.CREATE, "shop", 4), Set.of(TestMessages.DESTINATION)))
                .hasMessageStartingWith(
                        "OBX-0329: the connections of the DataSource jdbc/shop come with auto-commit off")
                .hasMessageContaining("autocommit=false");
        assertThatThrownBy(() -> store.dispatchingOn(off, "jdbc/other"))
                .hasMessageStartingWith("OBX-0329: the connections of the DataSource jdbc/other come with");
    }

    /** The configured prefix names another schema, on each database. */
    @Test
    void tablesMayBeInASchemaOfTheirOwn() {
        String prefix = database.otherSchema() + ".box_";
        StoreConfig config = new StoreConfig(
                "jdbc/shop",
                SchemaMode.CREATE,
                prefix,
                "shop",
                4,
                StoreConfig.Ordering.STRICT,
                null,
                StoreConfig.Cdc.NONE);

        JdbcOutboxStore store = JdbcOutboxStore.open(database.dataSource(), config, Set.of(TestMessages.DESTINATION));
        EveryStatement.run(store);

        assertThat(tables()).isEmpty();
        assertThat(database.query("SELECT seq FROM " + prefix + "archive")).isNotEmpty();
        assertThatCode(() -> JdbcOutboxStore.open(
                        database.dataSource(),
                        new StoreConfig(
                                "jdbc/shop",
                                SchemaMode.VALIDATE,
                                prefix,
                                "shop",
                                4,
                                StoreConfig.Ordering.STRICT,
                                null,
                                StoreConfig.Cdc.NONE),
                        Set.of(TestMessages.DESTINATION)))
                .doesNotThrowAnyException();
    }

    /**
     * A tenant's schema that a transaction chooses: an unqualified name would lead to a table that no dispatcher reads.
     */
    @Test
    void statementsReachTheTablesOfTheStartWhateverSchemaASessionLooksIn() {
        String tenant = database.otherSchema();
        JdbcOutboxStore.open(
                database.dataSource(),
                new StoreConfig(
                        "jdbc/shop",
                        SchemaMode.CREATE,
                        tenant + "." + TestDatabase.PREFIX,
                        "shop",
                        4,
                        StoreConfig.Ordering.ROW_LOCK,
                        null,
                        StoreConfig.Cdc.NONE),
                Set.of(TestMessages.DESTINATION));
        AtomicReference<String> onConnect = new AtomicReference<>("SELECT 1");
        WatchedSource sessions =
                new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED, onConnect::get);
        JdbcOutboxStore store = JdbcOutboxStore.open(
                sessions.dataSource(),
                TestDatabase.config(SchemaMode.CREATE, "shop", 4),
                Set.of(TestMessages.DESTINATION));
        store.capture().write(TestMessages.keyed("before"));
        store.settlements().settleSent(TestMessages.sent(List.of(database.sequence("before"))));

        onConnect.set(
                switch (database.kind()) {
                    case H2 -> "SET SCHEMA " + tenant;
                    case POSTGRESQL -> "SET search_path TO " + tenant;
                    case MARIADB, MYSQL -> "USE " + tenant;
                });
        store.capture().write(TestMessages.keyed("after"));
        assertThat(database.statuses()).containsExactly("PUBLISHED", "PENDING");
        database.deleteMessages();
        EveryStatement.run(store);

        assertThat(database.query(
                        "SELECT seq FROM %s.shop_message UNION SELECT seq FROM %1$s.shop_archive".formatted(tenant)))
                .isEmpty();
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
                    .containsExactly("OBX-0310: the tables of shop_message were created, in schema version 1.");
        }
        assertThat(database.query("SELECT version FROM shop_schema ORDER BY version"))
                .containsExactly("1");
    }

    @ParameterizedTest
    @CsvSource({"CREATE", "VALIDATE"})
    void missingTableFailsTheStart(SchemaMode mode) {
        database.open(4);
        database.update("DROP TABLE shop_node");

        assertThatThrownBy(() -> database.open(mode, "shop", 4))
                .hasMessageStartingWith("OBX-0308: the tables of shop_message cannot be used: shop_node: ");
        assertThat(tables()).doesNotContain("shop_node");
    }

    /**
     * Without one of these indexes, each claim would read all messages ever published, or fail if a statement names the
     * index.
     */
    @ParameterizedTest
    @CsvSource({
        "message, message_id",
        "queue, queue_order",
        "queue, queue_due",
        "blocked_key, blocked_key_unique",
        "blocked_key, blocked_key_due",
        "inbox, inbox_received",
        "inbox_key, inbox_key_received"
    })
    void missingIndexFailsTheStart(String table, String index) {
        database.open(4);
        database.dropIndex("shop_" + table, "shop_" + index);

        for (SchemaMode mode : List.of(SchemaMode.VALIDATE, SchemaMode.CREATE)) {
            assertThatThrownBy(() -> database.open(mode, "shop", 4))
                    .hasMessageStartingWith(
                            "OBX-0308: the tables of shop_message cannot be used: index shop_%s on shop_%s is missing.",
                            index, table);
        }
    }

    /** As for a log reader: PostgreSQL then refuses changes of rows that it cannot identify. */
    @Test
    void allTablesMayBePublished() {
        JdbcOutboxStore store = database.open(4);
        boolean publishes = database.kind() == Database.POSTGRESQL;
        if (publishes) {
            database.update("CREATE PUBLICATION everything FOR ALL TABLES");
        }
        try {
            assertThatCode(() -> EveryStatement.run(store)).doesNotThrowAnyException();
        } finally {
            if (publishes) {
                database.update("DROP PUBLICATION everything");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"3", "5"})
    void numberOfPartitionsIsFixed(int partitions) {
        database.open(4);

        assertThatThrownBy(() -> database.open(partitions))
                .hasMessageStartingWith("OBX-0306: outbox.partitions is " + partitions)
                .hasMessageContainingAll("application 'shop'", "was created with 4");
    }

    /** Their messages have the number of their partition in place of its id, or no binary payloads. */
    @ParameterizedTest
    @CsvSource({"partition_id, partition_no", "payload_binary, payload_bytes_too"})
    void tablesOfAVersionBeforeTheReleaseAreRefused(String column, String old) {
        database.open(4);
        database.rename("shop_message", column, old);

        assertThatThrownBy(() -> database.open(4))
                .hasMessage(
                        "OBX-0356: the tables of shop_message are those of a version before the first release, for which there"
                                + " is no migration. Let that version send what waits; then drop the tables, or choose another"
                                + " outbox.table-prefix.");
    }

    /** An operator may copy messages of a destination that is not configured any more. */
    @Test
    void destinationOfThePastKeepsItsNumberOfPartitions() {
        JdbcOutboxStore before = database.open(4);
        JdbcOutboxStore now = JdbcOutboxStore.open(
                database.dataSource(), TestDatabase.config(SchemaMode.CREATE, "shop", 64), Set.of("new"));

        before.capture().write(TestMessages.keyed("a", "b", "c", "d", "e"));
        now.capture().write(TestMessages.keyed("a", "b", "c", "d", "e"));

        assertThat(database.query("SELECT message_key FROM shop_message GROUP BY message_key"
                        + " HAVING COUNT(*) <> 2 OR COUNT(DISTINCT partition_id) <> 1"))
                .isEmpty();
    }

    @Test
    void anotherApplicationMayHaveAnotherNumberOfPartitions() {
        database.open(4);

        assertThatCode(() -> database.open(SchemaMode.CREATE, "other", 7)).doesNotThrowAnyException();
    }

    /** The name of a column in the database's own messages. */
    private String name(String column) {
        return database.kind() == Database.H2 ? column.toUpperCase(Locale.ROOT) : column;
    }

    private static Set<String> columns(Connection connection, String table) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet none = select.executeQuery("SELECT * FROM %s WHERE 1 = 0".formatted(table))) {
            Set<String> columns = new HashSet<>();
            for (int column = 1; column <= none.getMetaData().getColumnCount(); column++) {
                columns.add(none.getMetaData().getColumnName(column).toLowerCase(Locale.ROOT));
            }
            return columns;
        }
    }

    private SchemaFile file() {
        return new SchemaFile("1", database.kind().dialect(), TestDatabase.PREFIX);
    }

    private List<String> tables() {
        String here = database.kind().isInnoDb() ? "DATABASE()" : "CURRENT_SCHEMA";
        return database.query("SELECT LOWER(table_name) FROM information_schema.tables WHERE table_schema = " + here);
    }
}

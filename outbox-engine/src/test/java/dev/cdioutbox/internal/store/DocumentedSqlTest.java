package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.aggregate;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.inbox.JdbcInbox;
import dev.cdioutbox.internal.store.inbox.Position;
import dev.cdioutbox.internal.store.inbox.Position.Order;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.operate.OutboxFilter;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/** Guards that the SQL in the documents has the effect that the documents describe. */
class DocumentedSqlTest {
    private static final Path HOW_TO = Path.of("../docs/howto");
    private static final Pattern SQL = Pattern.compile("(?ms)^ *```sql\\n(.*?)^ *```");
    private static final Pattern PLAIN = Pattern.compile("(?ms)^```\\n(.*?)^```");

    /**
     * A branch as Open Liberty and PostgreSQL's driver write it: format id, global id 01020304, branch qualifier 0506.
     */
    private static final String GID = "1463898948_AQIDBA==_BQY=";

    @Nested
    @ParameterizedClass(name = "{0}", allowZeroInvocations = true)
    @EachDatabase(Database.POSTGRESQL)
    class OnPostgresql {
        @AutoClose
        private final TestDatabase database;

        OnPostgresql(Database kind) {
            database = new TestDatabase(kind);
        }

        @Test
        void rightsOfTheApplicationAreEnoughAndNoMore() throws IOException, SQLException {
            List<String> documented = sql("flyway-liquibase.md", "## Rights on PostgreSQL");
            assertThat(documented).hasSize(2);
            run(database.dataSource(), documented.get(0));
            try {
                DataSource owner = as("shop_owner", database);
                open(owner, SchemaMode.CREATE, Ordering.ROW_LOCK);
                run(owner, documented.get(1));

                try (LogLines logged = new LogLines("dev.cdioutbox")) {
                    JdbcOutboxStore store = open(as("shop_app", database), SchemaMode.VALIDATE, Ordering.STRICT);
                    EveryStatement.run(store);
                    assertThat(logged.all()).isEmpty();
                    assertThat(store.setup().findings(new RetentionConfig(Duration.ZERO, Duration.ZERO, true, true)))
                            .isEmpty();
                }
                assertRefused(as("shop_app", database), "CREATE TABLE other (id INT)");
                assertRefused(as("shop_app", database), "DELETE FROM shop_audit");
                run(
                        as("shop_reader", database),
                        sql("../before-you-adopt.md", "## What does one customer have waiting?")
                                .get(0));
                assertRefused(as("shop_reader", database), "SELECT payload FROM shop_message");
            } finally {
                for (String role : List.of("shop_reader", "shop_app", "shop_owner")) {
                    run(database.dataSource(), "DROP OWNED BY %1$s CASCADE; DROP ROLE %1$s;".formatted(role));
                }
            }
        }

        @Test
        void removalLeavesNothing() throws IOException, SQLException {
            database.open(4);
            String left = "SELECT relname FROM pg_class WHERE relname LIKE 'shop\\_%'";
            assertThat(rows(database, left)).isNotEmpty();

            run(
                    database.dataSource(),
                    sql("../before-you-adopt.md", "## How do I remove it again?")
                            .get(0));

            assertThat(rows(database, left)).isEmpty();
        }

        @Test
        void databaseIsPreparedAsThePageSays() throws IOException, SQLException {
            String heading = "## 1. Prepare the database";
            List<String> settings =
                    blocks(PLAIN, "postgresql.md", heading).get(0).lines().toList();
            assertThat(settings).hasSizeGreaterThan(3).allSatisfy(line -> {
                String name = line.substring(0, line.indexOf(" = "));
                assertThat(rows(database, "SELECT name FROM pg_settings WHERE name = '" + name + "'"))
                        .containsExactly(name);
            });
            try {
                run(database.dataSource(), sql("postgresql.md", heading).get(0));
                assertThat(rows(database, "SELECT datname FROM pg_database WHERE datname = 'shop'"))
                        .containsExactly("shop");
            } finally {
                run(database.dataSource(), "DROP DATABASE IF EXISTS shop; DROP ROLE IF EXISTS shop;");
            }
        }

        @Test
        void messagesInDoubtAreFoundAndEnded() throws IOException, SQLException {
            String page = "transactions-in-doubt.md";
            List<String> lists = sql(page, "### PostgreSQL");
            JdbcOutboxStore store = database.open(4);
            for (String ending : statements(sql(page, "## 5. End the branches").get(0))) {
                store.capture().write(List.of(message("a", "held"), message("b", "free")));
                Database.execute(
                        database.dataSource(),
                        "BEGIN; INSERT INTO shop_delivery (seq, status, settled_at, attempts) SELECT seq, 3, now(), 1"
                                + " FROM shop_message WHERE payload = 'held'; " + database.settling(List.of("held"))
                                + "; PREPARE TRANSACTION '" + GID + "'");

                assertThat(rows(database, lists.get(0))).containsExactly(GID);
                assertThat(value(database, lists.get(0), "global_id")).isEqualTo("01020304");
                assertThat(rows(database, statements(lists.get(1)).get(1)))
                        .containsExactly(String.valueOf(database.sequence("held")));
                Database.execute(database.dataSource(), ending.replace("<gid>", GID));

                assertThat(rows(database, lists.get(0))).isEmpty();
                assertThat(database.statuses())
                        .containsExactly(ending.startsWith("COMMIT") ? "PUBLISHED" : "PENDING", "PENDING");
                database.deleteMessages();
            }
        }

        @Test
        void consumerInAnotherLanguageRecognizesACopy() throws IOException, SQLException {
            List<String> documented = sql("other-languages.md", "## Handle each message once");
            run(database.dataSource(), documented.get(0));
            String handled = "SELECT COUNT(*) FROM handled_message";

            for (int copy = 0; copy < 2; copy++) {
                run(database.dataSource(), documented.get(1));
                assertThat(rows(database, handled)).containsExactly("1");
            }
            run(database.dataSource(), documented.get(2));

            assertThat(rows(database, handled)).as("a young row stays").containsExactly("1");
            database.update("DROP TABLE handled_message");
        }

        @Test
        void deadRowsAreWatchedAndVacuumIsTunedAsThePageSays() throws IOException, SQLException {
            database.open(4);
            List<String> documented = sql("../databases.md", "## Vacuum on PostgreSQL");

            run(database.dataSource(), documented.get(0));

            assertThat(rows(
                            database,
                            statements(documented.get(1).replace("outbox\\_", "shop\\_"))
                                    .get(0)))
                    .contains("shop_message", "shop_queue");
            database.open(4);
        }

        @Test
        void sequenceBeginsAboveTheOldOne() throws IOException, SQLException {
            JdbcOutboxStore store = database.open(4);

            run(
                    database.dataSource(),
                    sql("../consume.md", "### A sequence that was reset").get(0));
            store.capture().write(List.of(message("a", "later")));

            assertThat(database.sequence("later")).isEqualTo(5_000_000);
        }
    }

    @Nested
    @ParameterizedClass(name = "{0}", allowZeroInvocations = true)
    @EachDatabase
    class OnEachDatabase {
        @AutoClose
        private final TestDatabase database;

        OnEachDatabase(Database kind) {
            database = new TestDatabase(kind);
        }

        @Test
        void publishedMessagesThatNoConsumerRecordedAreListed() throws IOException, SQLException {
            JdbcOutboxStore store = database.open(4);
            store.capture().write(List.of(message("a", "lost"), message("b", "waiting")));
            database.settle(OutboxStatus.PUBLISHED, "payload = 'lost'");

            String query = sql("activemq.md", "## A consumer that stops").get(0);

            assertThat(rows(database, statements(query).get(0)))
                    .isEqualTo(database.query("SELECT message_id FROM shop_message WHERE payload = 'lost'"));
        }

        @Test
        void whatTheErasureOfAPersonLeavesIsErased() throws IOException, SQLException {
            database.open(4);
            for (String key : List.of("4711", "4712")) {
                database.update("INSERT INTO shop_inbox_key (application, consumer, message_key, last_sequence,"
                        + " received_at) VALUES ('shop', 'prices', '" + key + "', 7, CURRENT_TIMESTAMP)");
                database.update("INSERT INTO shop_audit (application, done_by, action, subject, changed)"
                        + " VALUES ('shop', 'ada', 'retry', 'key " + key + "', 1)");
            }

            run(
                    database.dataSource(),
                    sql("../tasks.md", "## Personal data (GDPR)").get(0));

            assertThat(database.query("SELECT message_key FROM shop_inbox_key")).containsExactly("4712");
            assertThat(database.query("SELECT subject FROM shop_audit ORDER BY id"))
                    .containsExactly("erased", "key 4712");
        }

        @Test
        void abandonedAndLatestMessagesAreListedForAnOperator() throws IOException, SQLException {
            JdbcOutboxStore store = database.open(4);
            store.capture().write(List.of(message("a", "abandoned"), message("b", "waiting")));
            database.updateQueue("status = 2, queue_id = -queue_id", "payload = 'abandoned'");

            String abandoned = sql("poison-messages.md", "## Notice them").get(0);
            assertThat(rows(database, statements(abandoned).get(0)))
                    .isEqualTo(database.query("SELECT message_id FROM shop_message WHERE payload = 'abandoned'"));
            String latest = sql("postgresql.md", "## 5. Check the result").get(0);
            assertThat(rows(database, statements(latest).get(0)))
                    .isEqualTo(database.query("SELECT seq FROM shop_message ORDER BY seq DESC"));
        }

        @Test
        void waitingMessageAndTheEarlierOnesOfItsKeyAreListed() throws IOException, SQLException {
            JdbcOutboxStore store = database.open(4);
            store.capture().write(List.of(message("17", "earlier"), message("17", "later"), message("18", "other")));
            String id = database.query("SELECT message_id FROM shop_message WHERE payload = 'later'")
                    .get(0);

            List<String> queries = statements(
                    sql("../troubleshooting.md", "### Why one message waits").get(0));

            assertThat(rows(database, queries.get(0).replace("0192…", id)))
                    .containsExactly(String.valueOf(database.sequence("later")));
            assertThat(rows(database, queries.get(1)))
                    .containsExactly(
                            String.valueOf(database.sequence("earlier")), String.valueOf(database.sequence("later")));
        }

        @Test
        void messagesThatACustomerHasWaitingAreListedByKeyTenantAndPayload() throws IOException, SQLException {
            JdbcOutboxStore store = database.open(4);
            store.capture()
                    .write(List.of(
                            message("4711", "by key"),
                            message("a", "{\"customer\":\"4711\"}"),
                            message("b", "by tenant"),
                            aggregate(message("c", "by aggregate"), "4711"),
                            message("4711", "published"),
                            message("4712", "other")));
            database.update("UPDATE shop_message SET tenant_id = '4711' WHERE payload = 'by tenant'");
            database.settle(OutboxStatus.PUBLISHED, "payload = 'published'");

            String query = sql("../before-you-adopt.md", "## What does one customer have waiting?")
                    .get(0);

            assertThat(rows(database, statements(query).get(0)))
                    .isEqualTo(database.query("SELECT seq FROM shop_message WHERE payload NOT IN ('published', 'other')"
                            + " ORDER BY seq"));
        }

        @Test
        void messagesOfEachVersionAreCounted() throws IOException, SQLException {
            JdbcOutboxStore store = database.open(4);
            store.capture().write(List.of(message("a", "old"), message("b", "old"), message("c", "new")));
            database.update("UPDATE shop_message SET event_type = 'OrderPlaced'");
            database.update("UPDATE shop_message SET schema_version = 2 WHERE payload = 'new'");

            String query = sql("../before-you-adopt.md", "## How do I change an event while old messages wait?")
                    .get(0);

            assertThat(column(database, statements(query).get(0), "schema_version"))
                    .containsExactlyInAnyOrder("1", "2");
        }

        @Test
        void onlyOldEntriesOfTheAuditAreDeleted() throws IOException, SQLException {
            database.open(4);
            for (String years : List.of("1", "3")) {
                database.update("INSERT INTO shop_audit (application, done_by, action, subject, changed, done_at)"
                        + " VALUES ('shop', 'ada', 'retry', '" + years + "', 1, CURRENT_TIMESTAMP - INTERVAL '" + years
                        + "' YEAR)");
            }

            run(database.dataSource(), sql("../console.md", "### The audit").get(0));

            assertThat(database.query("SELECT subject FROM shop_audit")).containsExactly("1");
        }

        @Test
        void copyOfProductionIsEmptiedAndWorks() throws IOException, SQLException {
            JdbcOutboxStore store = database.open(4);
            store.capture().write(List.of(message("a", "waiting"), message("b", "published")));
            database.settle(OutboxStatus.PUBLISHED, "payload = 'published'");

            run(
                    database.dataSource(),
                    sql("test-system.md", "## Before the first start").get(0));

            assertThat(database.query("SELECT seq FROM shop_message")).isEmpty();
            store.capture().write(List.of(message("a", "new")));
            assertThat(database.statuses()).containsExactly("PENDING");
        }

        @Test
        void messagesGoWithTheNewNameOfTheApplication() throws IOException, SQLException {
            JdbcOutboxStore old = database.open(SchemaMode.CREATE, "old", 4);
            old.capture()
                    .write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1"), message("c", "c1")));
            Terms inAnHour = new Terms(Instant.now().plusSeconds(3600), null, null);
            old.capture().write(List.of(terms(message("d", "delayed"), inAnHour)));
            old.inbox().enter("prices", "handled");
            Retry later = new Retry(database.sequence("a1"), OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true);
            Retry never = new Retry(database.sequence("b1"), OutboxStatus.ABANDONED, 1, null, "no", false);
            old.settlements().settleUnsent(unsent(List.of(later, never)));
            JdbcOutboxStore renamed = database.open(SchemaMode.CREATE, "new", 4);

            run(database.dataSource(), sql("../messages.md", "### OBX-0309").get(0));

            assertThat(claimed(renamed)).containsExactly("c1");
            assertThat(renamed.inbox().enter("prices", "handled")).isFalse();
            database.makeDue();
            assertThat(claimed(renamed)).containsExactlyInAnyOrder("a1", "a2", "c1");
            assertThat(renamed.status().backlog().abandoned()).isEqualTo(1);
            assertThat(change(
                            renamed, MessageOperation.RETRY, OutboxFilter.all().withKey("b")))
                    .hasSize(1);
            renamed.operations().changeCommitted();
            assertThat(claimed(renamed)).contains("b1");
        }

        @Test
        void messagesBehindADeletedBlockedKeyReturn() throws IOException, SQLException {
            JdbcOutboxStore store = database.open(4);
            store.capture().write(List.of(message("a", "a1"), message("b", "b1")));
            database.updateQueue("queue_id = " + QueueId.ofBlockedKey(0).value(), "payload = 'a1'");
            assertThat(claimed(store)).containsExactly("b1");

            run(
                    database.dataSource(),
                    sql("../troubleshooting.md", "## Rows of partitions or blocked keys were deleted")
                            .get(0));

            assertThat(claimed(store)).containsExactlyInAnyOrder("a1", "b1");
        }

        private static List<String> claimed(JdbcOutboxStore store) {
            try (Claim claim = TestMessages.claim(store, TestMessages.limits(64, 500, 1_000_000))) {
                return TestMessages.texts(claim.messages());
            }
        }

        @Test
        void destinationBeginsAnewAndOldSequencesAreForgotten() throws IOException, SQLException {
            database.open(4);
            database.update("UPDATE shop_partition SET destination = 'orders', fencing_token = 'token'"
                    + " WHERE destination = 'default' AND partition_no = 4095");
            database.update(
                    "INSERT INTO shop_inbox_key (application, consumer, message_key, last_sequence, received_at)"
                            + " VALUES ('shop', 'prices', 'a', 7, CURRENT_TIMESTAMP)");

            run(database.dataSource(), sql("../messages.md", "### OBX-0443").get(0));
            run(
                    database.dataSource(),
                    sql("../consume.md", "### A sequence that was reset").get(1));

            assertThat(database.query("SELECT destination FROM shop_partition WHERE fencing_token IS NOT NULL"))
                    .isEmpty();
            assertThat(database.query("SELECT message_key FROM shop_inbox_key")).isEmpty();
        }

        @Test
        void messageThatMayBeLateIsLetIn() throws IOException, SQLException {
            JdbcInbox inbox = database.open(4).inbox();
            inbox.advance("prices", "4712", new Position(9, null));
            inbox.purge(Duration.ofDays(-1), 10);
            assertThat(inbox.advance("prices", "4711", new Position(7, null))).isEqualTo(Order.FORGOTTEN);

            run(
                    database.dataSource(),
                    sql("../consume.md", "### A message that may be late").get(0));

            assertThat(inbox.advance("prices", "4711", new Position(7, null))).isEqualTo(Order.IN_ORDER);
        }

        @Test
        void queueRowsWithoutTheirEventAreDeleted() throws IOException, SQLException {
            JdbcOutboxStore store = database.open(4);
            store.capture().write(List.of(message("a", "gone"), message("b", "abandoned"), message("c", "waiting")));
            database.updateQueue("status = 2, queue_id = -queue_id", "payload IN ('gone', 'abandoned')");
            database.update("DELETE FROM shop_message WHERE payload = 'gone'");

            run(database.dataSource(), sql("../messages.md", "### OBX-0330").get(0));

            assertThat(database.query("SELECT COUNT(*) FROM shop_queue")).containsExactly("2");
            assertThat(database.statuses()).containsExactly("ABANDONED", "PENDING");
        }
    }

    @Nested
    @ParameterizedClass(name = "{0}", allowZeroInvocations = true)
    @EachDatabase({Database.MARIADB, Database.MYSQL})
    class OnMariaDb {
        @AutoClose
        private final TestDatabase database;

        OnMariaDb(Database kind) {
            database = new TestDatabase(kind);
        }

        @Test
        void transactionsInDoubtAreFoundAndEnded() throws IOException, SQLException {
            String page = "transactions-in-doubt.md";
            boolean mySql = database.kind() == Database.MYSQL;
            String list = sql(page, mySql ? "### MySQL" : "### MariaDB").get(0);
            database.update("CREATE TABLE held (id INT)");
            List<String> endings =
                    statements(sql(page, "## 5. End the branches").get(1));
            for (String ending : endings) {
                try (Connection crashed = database.dataSource().getConnection()) {
                    Database.execute(crashed, "XA START X'01020304',X'0506',1463898948");
                    Database.execute(crashed, "INSERT INTO held VALUES (" + endings.indexOf(ending) + ")");
                    Database.execute(crashed, "XA END X'01020304',X'0506',1463898948");
                    Database.execute(crashed, "XA PREPARE X'01020304',X'0506',1463898948");
                    database.kind().close(crashed, database.dataSource());
                }

                String data = mySql ? joined(list) : value(database, list, "data");
                assertThat(data).isEqualTo("X'01020304',X'0506',1463898948");
                Database.execute(database.dataSource(), ending.replace("<data>", data));
            }
            assertThat(rows(database, list)).isEmpty();
            assertThat(database.query("SELECT id FROM held"))
                    .as("the first one commits, the second one rolls back")
                    .containsExactly("0");
        }

        /** The ids as the page says how to write them. */
        private String joined(String list) throws SQLException {
            String data = value(database, list, "data").substring("0x".length());
            int digits = 2 * Integer.parseInt(value(database, list, "gtrid_length"));
            return "X'%s',X'%s',%s"
                    .formatted(data.substring(0, digits), data.substring(digits), value(database, list, "formatID"));
        }
    }

    /** The SQL blocks of a page below a heading, with the table names of the tests. */
    private static List<String> sql(String page, String heading) throws IOException {
        return blocks(SQL, page, heading).stream()
                .map(block -> block.replace("outbox_", "shop_"))
                .toList();
    }

    private static List<String> blocks(Pattern kind, String page, String heading) throws IOException {
        String text = Files.readString(HOW_TO.resolve(page));
        int from = text.indexOf(heading + "\n");
        assertThat(from).as("%s has the heading %s", page, heading).isNotNegative();
        int to = text.indexOf("\n#", from + heading.length());
        return kind.matcher(text.substring(from, to < 0 ? text.length() : to))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    private static List<String> statements(String block) {
        return Arrays.stream(block.split(";"))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }

    private static JdbcOutboxStore open(DataSource source, SchemaMode mode, Ordering ordering) {
        StoreConfig config = new StoreConfig(
                "jdbc/shop", mode, TestDatabase.PREFIX, "shop", 4, ordering, null, StoreConfig.Cdc.NONE);
        return JdbcOutboxStore.open(source, config, Set.of(DESTINATION, "audit"));
    }

    private static DataSource as(String role, TestDatabase database) {
        return (DataSource) Proxy.newProxyInstance(
                DocumentedSqlTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, values) -> {
                    Connection connection = database.dataSource().getConnection();
                    Database.execute(connection, "SET ROLE " + role);
                    return connection;
                });
    }

    private static void run(DataSource source, String block) throws SQLException {
        try (Connection connection = source.getConnection()) {
            for (String statement : statements(block)) {
                Database.execute(connection, statement);
            }
        }
    }

    private static void assertRefused(DataSource source, String statement) {
        assertThatThrownBy(() -> run(source, statement)).hasMessageContaining("permission denied");
    }

    private static List<String> rows(TestDatabase database, String query) throws SQLException {
        return column(database, query, null);
    }

    private static String value(TestDatabase database, String query, String column) throws SQLException {
        return column(database, query, column).get(0);
    }

    /** All values of a column; the first column if the name is null. */
    private static List<String> column(TestDatabase database, String query, String column) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = database.dataSource().getConnection();
                Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery(query)) {
            while (rows.next()) {
                values.add(column == null ? rows.getString(1) : rows.getString(column));
            }
        }
        return values;
    }
}

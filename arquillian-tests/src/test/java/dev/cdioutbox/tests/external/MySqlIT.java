package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.SOON;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.cdioutbox.internal.store.MySqlServer;
import dev.cdioutbox.tests.server.FirstColumn;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The sample on MySQL, with the DataSource of docs/databases.md and a user that has the rights which the page names. */
@Tag("full")
class MySqlIT {
    private static final Pattern DATA_SOURCE =
            Pattern.compile("(?s)<dataSource(?:(?!</dataSource>).)*MysqlXADataSource.*?</dataSource>");
    private static final Pattern GRANT = Pattern.compile("`(GRANT XA_RECOVER_ADMIN [^`]+)`");
    private static final int KILLS = 3;

    private static MySqlServer database;
    private static LibertyServer server;
    private static SampleClient sample;

    @BeforeAll
    static void start() throws IOException, SQLException {
        database = MySqlServer.fresh();
        String page = Files.readString(Path.of(System.getProperty("project.root"), "docs", "databases.md"));
        update(
                "",
                "CREATE DATABASE outbox",
                "CREATE USER outbox",
                "GRANT ALL ON outbox.* TO outbox",
                found(GRANT, page, 1));
        String dataSource = found(DATA_SOURCE, page, 0)
                .replace("localhost:3306", "127.0.0.1:" + database.port())
                .replace("outbox\" user", "outbox?sslMode=DISABLED&amp;allowPublicKeyRetrieval=true\" user")
                .replace("${db.password}", "");
        Path project = Path.of(System.getProperty("project.root"));
        server = LibertyServer.sample("mysql", "mysql.xml")
                .withElement(dataSource)
                .with("WEB-INF/classes/META-INF/schema.sql", schema(project))
                .set("outbox.dispatcher.interval", "PT1S")
                // Many small batches give a crash more places to hit.
                .set("outbox.dispatcher.batch-size", "20")
                // While the database is away, the consumer fails: no message may be put aside for that.
                .set("cdioutbox.queue.redeliveries", "1000000")
                .start();
        sample = new SampleClient(server::url);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private static String found(Pattern pattern, String page, int group) {
        Matcher matcher = pattern.matcher(page);
        assertThat(matcher.find()).as("%s in docs/databases.md", pattern).isTrue();
        return matcher.group(group);
    }

    /** The sample's tables, in MySQL's SQL and without their indexes. */
    private static String schema(Path project) throws IOException {
        Path script = project.resolve("sample-war/src/main/resources/META-INF/schema.sql");
        return Files.readString(script)
                .replace("TIMESTAMP(6) WITH TIME ZONE", "DATETIME(6)")
                .replaceAll("(?m)^CREATE INDEX.*\\R?", "");
    }

    @Test
    void nothingIsLostDoubledOrOvertakenWhenServerAndDatabaseAreKilled() throws SQLException {
        await("exactly-once is proven").atMost(SOON).until(() -> server.log()
                .contains("OBX-0420: destination 'default': exactly-once"));
        assertThat(server.log()).doesNotContain("OBX-0311").doesNotContain("OBX-0328");
        for (int kill = 1; kill <= KILLS; kill++) {
            List<String> acknowledged;
            try (Traffic traffic = new Traffic(sample, sample)) {
                awaitPublishedAfter(highest());
                server.kill();
                server.start();
                awaitPublishedAfter(highest());
                database.kill();
                database.restart();
                awaitPublishedAfter(highest());
                acknowledged = traffic.acknowledged();
            }
            awaitQuiet();
            tell("MySQL, kill %d of server and database: %d events acknowledged", kill, acknowledged.size());
            assertThat(query("SELECT CONCAT(message_key, ' ', event_type) FROM outbox_message"))
                    .containsAll(acknowledged);
        }
        assertThat(query("SELECT message_id FROM shipment")).doesNotHaveDuplicates();
        assertThat(query("SELECT order_id FROM outbox_message m JOIN shipment s ON s.message_id = m.message_id"
                        + " WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = m.message_key)"))
                .as("ghosts")
                .isEmpty();
        assertThat(query("SELECT a.order_id FROM shipment a JOIN shipment b ON b.order_id = a.order_id"
                        + " WHERE a.sequence_no < b.sequence_no AND a.received_at > b.received_at"))
                .as("overtaken")
                .isEmpty();
    }

    private static long highest() throws SQLException {
        return Long.parseLong(
                query("SELECT COALESCE(MAX(seq), 0) FROM outbox_message").get(0));
    }

    private static void awaitPublishedAfter(long sequence) {
        await("dispatch goes on").atMost(SOON).until(() -> !query(
                        "SELECT 1 FROM outbox_delivery WHERE status = 3 AND seq > %d LIMIT 1".formatted(sequence))
                .isEmpty());
    }

    private static void awaitQuiet() {
        await("every message is published").atMost(SOON).until(() -> query(
                        "SELECT seq FROM outbox_message_view WHERE NOT (status <=> 'PUBLISHED')")
                .isEmpty());
        await("the consumer got every message").atMost(SOON).until(() -> query(
                        "SELECT seq FROM outbox_message m WHERE NOT EXISTS"
                                + " (SELECT 1 FROM shipment s WHERE s.message_id = m.message_id)")
                .isEmpty());
        await("nothing is in doubt").atMost(SOON).until(() -> query("XA RECOVER")
                .isEmpty());
    }

    private static List<String> query(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database.urlOf("outbox", "root"))) {
            return FirstColumn.of(connection, sql);
        }
    }

    private static void update(String name, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database.urlOf(name, "root"));
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}

package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.cdioutbox.internal.store.KillableDatabase;
import dev.cdioutbox.tests.server.FirstColumn;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * The sample with Liberty's own messaging, on a database with the DataSource of docs/databases.md and a user that has the
 * rights which the page names, when its server, and perhaps its database, are killed.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("full")
abstract class KilledDatabaseContract {
    private static final String PAGE = "docs/databases.md";
    private static final int KILLS = 3;

    private final String page = read(PAGE);
    private KillableDatabase database;
    private LibertyServer server;
    private SampleClient sample;

    /** Starts an empty database server. */
    abstract KillableDatabase startDatabase();

    /** Whether the driver reports a lost connection so that Liberty repeats a commit after the database's return. */
    abstract boolean mayLoseTheDatabase();

    /** What an administrator does before the first start, as root. */
    abstract List<String> preparation();

    /** The DataSource of the page for this database. */
    abstract String dataSource();

    /** The only part of the page that matches. */
    final String onThePage(String pattern) {
        Matcher matcher = Pattern.compile("(?s)" + pattern).matcher(page);
        assertThat(matcher.find()).as("%s in %s", pattern, PAGE).isTrue();
        return matcher.group(matcher.groupCount());
    }

    final int port() {
        return database.port();
    }

    @BeforeAll
    void start() throws SQLException {
        database = startDatabase();
        update("", preparation());
        server = LibertyServer.sample(getClass().getSimpleName(), "own-datasource.xml")
                .withElement(dataSource())
                .with("WEB-INF/classes/META-INF/schema.sql", schema())
                .set("outbox.dispatcher.interval", "PT1S")
                // Many small batches give a crash more places to hit.
                .set("outbox.dispatcher.batch-size", "20")
                // While the database is away, the consumer fails: no message may be put aside for that.
                .set("cdioutbox.queue.redeliveries", "1000000")
                .start();
        sample = new SampleClient(server::url);
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(System.getProperty("project.root"), file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sample's tables, in MySQL's SQL and without their indexes. */
    private static String schema() {
        return read("sample-war/src/main/resources/META-INF/schema.sql")
                .replace("TIMESTAMP(6) WITH TIME ZONE", "DATETIME(6)")
                .replaceAll("(?m)^CREATE INDEX.*\\R?", "");
    }

    @Test
    void nothingIsLostDoubledOrOvertakenByKills() throws SQLException {
        await("exactly-once is proven").atMost(LONG).until(() -> server.log()
                .contains("OBX-0420: destination 'default': exactly-once"));
        assertThat(server.log()).doesNotContain("OBX-0311").doesNotContain("OBX-0328");
        for (int kill = 1; kill <= KILLS; kill++) {
            List<String> acknowledged;
            try (Traffic traffic = new Traffic(sample, sample)) {
                awaitPublishedAfter(highest());
                server.kill();
                server.start();
                awaitPublishedAfter(highest());
                if (mayLoseTheDatabase()) {
                    database.kill();
                    database.restart();
                    awaitPublishedAfter(highest());
                }
                acknowledged = traffic.acknowledged();
            }
            awaitQuiet();
            tell("%s, kill %d: %d events acknowledged", getClass().getSimpleName(), kill, acknowledged.size());
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

    private long highest() throws SQLException {
        return Long.parseLong(
                query("SELECT COALESCE(MAX(seq), 0) FROM outbox_message").get(0));
    }

    private void awaitPublishedAfter(long sequence) {
        await("dispatch goes on").atMost(LONG).until(() -> !query(
                        "SELECT 1 FROM outbox_delivery WHERE status = 3 AND seq > %d LIMIT 1".formatted(sequence))
                .isEmpty());
    }

    private void awaitQuiet() {
        await("every message is published").atMost(LONG).until(() -> query(
                        "SELECT seq FROM outbox_message_view WHERE NOT (status <=> 'PUBLISHED')")
                .isEmpty());
        await("the consumer got every message").atMost(LONG).until(() -> query(
                        "SELECT seq FROM outbox_message m WHERE NOT EXISTS"
                                + " (SELECT 1 FROM shipment s WHERE s.message_id = m.message_id)")
                .isEmpty());
        await("nothing is in doubt").atMost(LONG).until(() -> query("XA RECOVER")
                .isEmpty());
    }

    private List<String> query(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database.urlOf("outbox", "root"))) {
            return FirstColumn.of(connection, sql);
        }
    }

    private void update(String name, List<String> statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database.urlOf(name, "root"));
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}

package dev.cdioutbox.tests.sample;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.PGReplicationStream;

/**
 * With the transport cdc, the log of PostgreSQL has what is committed, and an operator sees whether it is read. The test
 * reads it as Debezium does. The application has outbox-cdi alone.
 */
@Tag("full")
class ChangeDataCaptureIT {
    private static final String SCHEMA = "/dev/cdioutbox/internal/store/schema/postgresql/1.sql";
    private static final Path PUBLICATION =
            Path.of(System.getProperty("test.server-config"), "cdi-outbox/cdc/publication.sql");

    @Test
    void logHasCommittedEventsAndHealthMetricsAndDoctorShowWhoReadsIt() throws Exception {
        try (PostgresServer database =
                        new PostgresServer().with("wal_level", "logical").start(0);
                LibertyServer server = LibertyServer.sample("cdc", "cdc.xml")
                        .running(
                                Deployments.withoutOutboxJms(Deployments.bare("cdc.war"))
                                        .addClasses(Noted.class, NotingServlet.class, DiagnosisServlet.class),
                                "/note?rollback=true&text=taken-back")
                        .set("cdioutbox.postgresql.port", String.valueOf(database.port()))
                        .set("cdioutbox.postgresql.database", "postgres")
                        .set("cdioutbox.postgresql.user", "postgres")) {
            prepare(database);
            server.start();
            assertThat(server.log())
                    .contains("OBX-0336: change data capture sends the messages of the destination(s) [default]");

            try (Connection connector = connect(database)) {
                PGReplicationStream log = read(connector);
                assertThat(Http.get(server.url("/note?text=committed")).statusCode())
                        .isEqualTo(200);
                assertThat(readUntil(log, "{\"text\":\"committed\"}")).doesNotContain("taken-back");
                await().atMost(LONG).untilAsserted(() -> assertThat(get(server, "/metrics?scope=application"))
                        .containsPattern("outbox_cdc_read\\{.*} 1\\.0"));
                assertThat(get(server, "/health/ready"))
                        .contains("\"cdc-active\":true", "\"cdc-wal-status\":\"reserved\"")
                        .doesNotContain("cdc-problem");
                // The tests' database runs without fsync.
                assertThat(get(server, "/diagnosis").lines()).allMatch(finding -> finding.startsWith("OBX-0341"));
            }
            assertShown(server, "OBX-0335", "\"cdc-active\":false");
            assertThat(server.log()).contains("[WARNING ] OBX-0335");

            database.query("SELECT pg_drop_replication_slot('outbox')");
            assertShown(server, "OBX-0333", "\"cdc-wal-status\":\"null\"");
            await().atMost(LONG).until(() -> server.log().contains("[WARNING ] OBX-0333"));
            assertThat(Http.get(server.url("/health/ready")).statusCode()).isEqualTo(200);
            server.set("outbox.health.max-age", "PT1S");
            await().atMost(LONG)
                    .until(() -> Http.get(server.url("/health/ready")).statusCode() == 503);
        }
    }

    /** The tables as for an application that may not create any, and then what the page says. */
    private static void prepare(PostgresServer database) throws IOException {
        try (InputStream schema = OutboxEvent.class.getResourceAsStream(SCHEMA)) {
            database.update(new String(schema.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("${prefix}", "outbox_")
                    .replace("${index}", "outbox_"));
        }
        String[] statements = Files.readString(PUBLICATION)
                .replace(":'application'", "'shop'")
                .replace(":'slot'", "'outbox'")
                .replace(":\"slot\"", "outbox")
                .split("(?<=;)\n\n");
        database.update(statements[0]);
        database.query(statements[1]);
    }

    private static Connection connect(PostgresServer database) throws SQLException {
        Properties properties = new Properties();
        PGProperty.USER.set(properties, "postgres");
        PGProperty.REPLICATION.set(properties, "database");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "15");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        return DriverManager.getConnection("jdbc:postgresql://localhost:" + database.port() + "/postgres", properties);
    }

    private static PGReplicationStream read(Connection connector) throws SQLException {
        return connector
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .logical()
                .withSlotName("outbox")
                .withSlotOption("proto_version", 1)
                .withSlotOption("publication_names", "outbox")
                .start();
    }

    private static String readUntil(PGReplicationStream log, String last) throws SQLException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(last) < 0) {
            read.append(StandardCharsets.UTF_8.decode(log.read()));
        }
        return read.toString();
    }

    private static void assertShown(LibertyServer server, String code, String health) {
        await().atMost(LONG).untilAsserted(() -> assertThat(get(server, "/health/ready"))
                .contains(health, "\"cdc-problem\":\"" + code));
        assertThat(get(server, "/metrics?scope=application")).containsPattern("outbox_cdc_read\\{.*} 0\\.0");
        assertThat(get(server, "/diagnosis")).contains(code);
    }

    private static String get(LibertyServer server, String path) {
        return Http.get(server.url(path)).body();
    }
}

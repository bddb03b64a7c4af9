package dev.cdioutbox.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/** PostgreSQL whose log Kafka Connect reads, set up with the files that the outbox ships. */
final class CapturedDatabase implements AutoCloseable {
    private static final Path FILES = Path.of("..", "liberty-config", "src", "main", "cdi-outbox", "cdc");

    private final EmbeddedPostgres server;
    private final Path folder;
    private final String broker;
    private final ConnectInstallation installation;
    private ConnectProcess connect;

    CapturedDatabase(Path folder, Broker broker) throws IOException {
        this.folder = folder;
        installation = ConnectInstallation.in(folder);
        this.broker = broker.address();
        server = EmbeddedPostgres.builder()
                .setServerConfig("wal_level", "logical")
                .setServerConfig("max_prepared_transactions", "10")
                .setServerConfig("fsync", "off")
                .start();
    }

    DataSource dataSource() {
        return server.getPostgresDatabase();
    }

    void apply(String file) throws Exception {
        // One by one, as psql does: a slot cannot be created in a transaction that has written.
        for (String statement : Files.readString(FILES.resolve(file)).split("(?<=;)\n\n")) {
            execute(statement
                    .replace(":'application'", "'shop'")
                    .replace(":'slot'", "'outbox'")
                    .replace(":\"slot\"", "outbox"));
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    String query(String sql) throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    /** Starts Connect, standalone, with the connector of the file, for this database. */
    void startConnect(String... settings) throws Exception {
        Path file = Files.writeString(folder.resolve("connector.json"), connector(settings));
        connect = new ConnectProcess(
                folder,
                installation.classPath(),
                Map.of(
                        "bootstrap.servers",
                        broker,
                        "offset.flush.interval.ms",
                        "500",
                        "plugin.path",
                        installation.plugins().toString()),
                file);
        connect.start();
        awaitReader();
    }

    private void awaitReader() throws SQLException {
        while (!hasReader()) {
            Thread.onSpinWait();
        }
    }

    private boolean hasReader() throws SQLException {
        return "t".equals(query("SELECT active FROM pg_replication_slots WHERE slot_name = 'outbox'"));
    }

    /** Starts a distributed worker of the file, with the connector of the other file, and both with exactly-once. */
    void startConnectExactlyOnce() throws Exception {
        Properties worker = new Properties();
        try (var file = Files.newBufferedReader(FILES.resolve("worker.properties"))) {
            worker.load(file);
        }
        // The last three make the group forget a killed worker sooner.
        worker.putAll(Map.of(
                "bootstrap.servers", broker,
                "plugin.path", installation.plugins().toString(),
                "session.timeout.ms", "6000",
                "heartbeat.interval.ms", "1000",
                "scheduled.rebalance.max.delay.ms", "0"));
        Map<String, String> all = new HashMap<>();
        worker.forEach((key, value) -> all.put(key.toString(), value.toString()));
        connect = new ConnectProcess(folder, installation.classPath(), all);
        connect.start();
        String config = connector().replaceFirst("(?s).*\"config\": \\{", "{\"exactly.once.support\": \"required\",");
        connect.put("/connectors/outbox/config", config.substring(0, config.lastIndexOf('}')));
    }

    private String connector(String... settings) throws IOException {
        Map<String, String> own =
                new HashMap<>(Map.of("database.port", String.valueOf(server.getPort()), "database.dbname", "postgres"));
        for (int i = 0; i < settings.length; i += 2) {
            own.put(settings[i], settings[i + 1]);
        }
        String connector = Files.readString(FILES.resolve("connector.json"));
        for (Map.Entry<String, String> setting : own.entrySet()) {
            connector = connector.replaceAll(
                    "\"" + setting.getKey() + "\": \"[^\"]*\"",
                    "\"" + setting.getKey() + "\": \"" + setting.getValue() + "\"");
        }
        return connector;
    }

    /** Waits until a record has stopped the connector. */
    void awaitFailure() throws Exception {
        while (!connect.get("/connectors/outbox/status").contains("FAILED")) {
            Thread.onSpinWait();
        }
    }

    /** Changes one setting of the running connector. */
    void change(String setting, String value) throws InterruptedException {
        connect.send("PATCH", "/connectors/outbox/config", "{\"" + setting + "\": \"" + value + "\"}");
    }

    void stopConnect() {
        connect.stop();
    }

    void killConnect() {
        connect.kill();
    }

    /** Forgets what Connect has not read, as soon as the server has noticed its death. */
    void recreateSlot() throws Exception {
        while (hasReader()) {
            Thread.onSpinWait();
        }
        execute("SELECT pg_drop_replication_slot('outbox')");
        execute("SELECT pg_create_logical_replication_slot('outbox', 'pgoutput')");
        Files.deleteIfExists(folder.resolve("offsets"));
    }

    /** Starts the worker again that was killed. */
    void restartConnect() throws IOException {
        connect.start();
    }

    @Override
    public void close() throws IOException {
        if (connect != null) {
            connect.close();
        }
        server.close();
    }
}

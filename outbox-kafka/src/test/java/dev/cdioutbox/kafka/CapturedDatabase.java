package dev.cdioutbox.kafka;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.kafka.connect.cli.ConnectStandalone;
import org.apache.kafka.connect.runtime.Connect;
import org.apache.kafka.connect.runtime.standalone.StandaloneHerder;

/** PostgreSQL whose log Kafka Connect reads, set up with the files that the outbox ships. */
final class CapturedDatabase implements AutoCloseable {
    private static final Path FILES = Path.of("..", "liberty-config", "src", "main", "cdi-outbox", "cdc");

    private final EmbeddedPostgres server;
    private final Path folder;
    private final String broker;
    private Connect<StandaloneHerder> connect;

    CapturedDatabase(Path folder, Broker broker) throws IOException {
        this.folder = folder;
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
            execute(statement);
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

    /** Starts Connect with the connector of the file, for this database. */
    void startConnect(String... settings) throws Exception {
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
        Path file = Files.writeString(folder.resolve("connector.json"), connector);
        ConnectStandalone cli = new ConnectStandalone();
        connect = cli.startConnect(new HashMap<>(Map.of(
                "bootstrap.servers", broker,
                "listeners", "http://127.0.0.1:" + freePort(),
                "offset.storage.file.filename", folder.resolve("offsets").toString(),
                "offset.flush.interval.ms", "500",
                "plugin.discovery", "service_load",
                "key.converter", "org.apache.kafka.connect.storage.StringConverter",
                "value.converter", "org.apache.kafka.connect.storage.StringConverter")));
        cli.processExtraArgs(connect, new String[] {file.toString()});
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }

    void stopConnect() {
        connect.stop();
        connect.awaitStop();
    }

    @Override
    public void close() throws IOException {
        if (connect != null) {
            stopConnect();
        }
        server.close();
    }
}

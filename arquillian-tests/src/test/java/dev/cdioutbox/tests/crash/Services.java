package dev.cdioutbox.tests.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.tests.server.Broker;
import dev.cdioutbox.tests.server.PostgresServer;

/** The database and the broker of the runs, each in processes of its own. */
final class Services implements AutoCloseable {
    /** More than the batches and business transactions that run at a time. */
    private static final int PREPARED_TRANSACTIONS = 64;

    private final PostgresServer database = new PostgresServer();
    private final Broker broker;
    private dev.cdioutbox.kafka.Broker kafka;
    private final Path home;
    private final ClassPath classPath;

    Services() {
        home = Path.of(
                System.getProperty("test.target"),
                "processes",
                "crash" + ProcessHandle.current().pid());
        try {
            Files.createDirectories(home);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        classPath = new ClassPath(home);
        database.start(PREPARED_TRANSACTIONS);
        broker = new Broker("crash-broker").start();
    }

    /** The folder for the files of the runs. */
    Path home() {
        return home;
    }

    ClassPath classPath() {
        return classPath;
    }

    Broker broker() {
        return broker;
    }

    PostgresServer database() {
        return database;
    }

    void restartDatabase() {
        database.kill();
        database.start(PREPARED_TRANSACTIONS);
    }

    /** Kafka, in this process; started when it is first needed. */
    dev.cdioutbox.kafka.Broker kafka() {
        if (kafka == null) {
            try {
                kafka = new dev.cdioutbox.kafka.Broker(Files.createDirectories(home.resolve("kafka")));
                kafka.create("outbox-markers", Map.of("cleanup.policy", "compact"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        return kafka;
    }

    void createTopic(String name) {
        try {
            kafka().create(name, Map.of());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    void restartKafka() {
        kafka.stop();
        kafka.start();
    }

    void restartBroker() {
        broker.kill();
        broker.start();
    }

    /** The JDBC URL of a database of the server. */
    String url(String name) {
        return "jdbc:postgresql://localhost:" + database.port() + "/" + name + "?user=postgres";
    }

    /** Reads the first column of a query, in a transaction that is rolled back. */
    List<String> query(String name, String sql) {
        try (Connection connection = DriverManager.getConnection(url(name))) {
            connection.setAutoCommit(false);
            List<String> values = new ArrayList<>();
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    values.add(rows.getString(1));
                }
            }
            connection.rollback();
            return values;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    void execute(String name, String... statements) {
        try (Connection connection = DriverManager.getConnection(url(name));
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(String.join("; ", statements), e);
        }
    }

    @Override
    public void close() {
        if (kafka != null) {
            kafka.close();
        }
        broker.close();
        database.close();
    }
}

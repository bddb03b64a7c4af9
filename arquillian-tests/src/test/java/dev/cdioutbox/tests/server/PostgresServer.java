package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/** A PostgreSQL server that a test can stop and start again, with the same port and data. */
public final class PostgresServer implements AutoCloseable {
    private final Path data;
    private final int port;
    private final Map<String, String> settings = new TreeMap<>();
    private EmbeddedPostgres server;

    public PostgresServer() {
        try {
            port = LibertyServer.freePort();
            // With the port, since several tests have a server at the same time.
            data = LibertyServer.fresh("postgresql-" + port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets a parameter of postgresql.conf from the next start on. */
    public PostgresServer with(String parameter, String value) {
        settings.put(parameter, value);
        return this;
    }

    /** Starts the server with this max_prepared_transactions. With 0, PostgreSQL's default, XA is not possible. */
    public PostgresServer start(int preparedTransactions) {
        try {
            EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                    .setDataDirectory(data)
                    .setPGStartupWait(Duration.ofMinutes(2))
                    .setCleanDataDirectory(false)
                    .setPort(port)
                    // The tests kill servers and never the machine, so no write need reach the disk.
                    .setServerConfig("fsync", "off")
                    // The library sets "off". With "off", a killed server would lose commits that it has acknowledged.
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("max_prepared_transactions", String.valueOf(preparedTransactions));
            settings.forEach(builder::setServerConfig);
            server = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    public void stop() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Ends all processes of the server at once, without a checkpoint. The next start recovers from the write-ahead log.
     */
    public void kill() {
        ProcessHandle postmaster = postmaster();
        signal("-QUIT", postmaster);
        postmaster.onExit().join();
        stop();
    }

    /** Suspends all processes of the server: it accepts connections and never answers. */
    public void freeze() {
        signalAll("-STOP");
    }

    public void thaw() {
        signalAll("-CONT");
    }

    private void signalAll(String signal) {
        ProcessHandle postmaster = postmaster();
        signal(signal, postmaster);
        postmaster.descendants().forEach(process -> signal(signal, process));
    }

    /** The CPU time of all processes of the server. */
    public Duration cpu() {
        return CpuTime.of(postmaster());
    }

    private ProcessHandle postmaster() {
        try {
            String pid = Files.readAllLines(data.resolve("postmaster.pid")).get(0);
            return ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void signal(String signal, ProcessHandle process) {
        try {
            new ProcessBuilder("kill", signal, String.valueOf(process.pid()))
                    .start()
                    .onExit()
                    .join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    /** Returns the first column of all rows. */
    public List<String> query(String sql) {
        try (Connection connection = connect()) {
            return FirstColumn.of(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Returns the first column of all rows of a query in another database. */
    public List<String> queryIn(String database, String sql) {
        try (Connection connection = server.getDatabase("postgres", database).getConnection()) {
            return FirstColumn.of(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    public int update(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Runs an update in another database. */
    public int updateIn(String database, String sql) {
        try (Connection connection = server.getDatabase("postgres", database).getConnection();
                Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Opens a connection, for a test that runs many queries. */
    public Connection connect() throws SQLException {
        return server.getPostgresDatabase().getConnection();
    }

    /** Returns connections to the server's own database. */
    public DataSource dataSource() {
        return server.getPostgresDatabase();
    }

    @Override
    public void close() {
        stop();
    }
}

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

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/** A PostgreSQL that can be stopped and started again, with its port and what is in it. */
public final class PostgresServer implements AutoCloseable {
    private final Path data;
    private final int port;
    private EmbeddedPostgres server;

    public PostgresServer() {
        try {
            data = LibertyServer.fresh("postgresql");
            port = LibertyServer.freePort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it with so many max_prepared_transactions; at 0, the default, it takes no part in XA. */
    public PostgresServer start(int preparedTransactions) {
        try {
            server = EmbeddedPostgres.builder()
                    .setDataDirectory(data)
                    .setPGStartupWait(Duration.ofMinutes(2))
                    .setCleanDataDirectory(false)
                    .setPort(port)
                    // Servers are killed in the tests, but not this machine.
                    .setServerConfig("fsync", "off")
                    // The library switches it off. A killed server would lose commits that it has acknowledged.
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("max_prepared_transactions", String.valueOf(preparedTransactions))
                    .start();
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

    /** Ends all its processes at once, without a checkpoint: the next start recovers from the write-ahead log. */
    public void kill() {
        ProcessHandle postmaster = postmaster();
        signal("-QUIT", postmaster);
        postmaster.onExit().join();
        stop();
    }

    /** Suspends all its processes: it accepts connections and never answers. */
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

    /** The first column of all rows. */
    public List<String> query(String sql) {
        try (Connection connection = connect()) {
            return FirstColumn.of(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The first column of all rows of another database. */
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

    /** In another database. */
    public int updateIn(String database, String sql) {
        try (Connection connection = server.getDatabase("postgres", database).getConnection();
                Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** For those who ask often. */
    public Connection connect() throws SQLException {
        return server.getPostgresDatabase().getConnection();
    }

    @Override
    public void close() {
        stop();
    }
}

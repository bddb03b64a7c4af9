package dev.cdioutbox.tests.server;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
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
                    .setPGStartupWait(Patience.LONG)
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

    /** Makes this server a standby with a copy of the primary's data. Both have to be stopped. */
    public PostgresServer standbyOf(PostgresServer primary) {
        try {
            Files.delete(LibertyServer.fresh(data.getFileName().toString()));
            run("cp", "-a", primary.data.toString(), data.toString());
            Files.createFile(data.resolve("standby.signal"));
            receiveFrom("host=localhost port=%d user=postgres application_name=standby".formatted(primary.port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** With an empty address, a standby gets nothing more. */
    private void receiveFrom(String address) throws IOException {
        Files.writeString(data.resolve("postgresql.auto.conf"), "primary_conninfo = '" + address + "'");
    }

    /** Each commit of this primary waits from now on until the standby has it on its disk. */
    public void replicateSynchronously() {
        update("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
        query("SELECT pg_reload_conf()");
        await("a synchronous standby")
                .atMost(Patience.LONG)
                .until(() -> query("SELECT sync_state FROM pg_stat_replication").equals(List.of("sync")));
    }

    /** What the primary commits from now on does not reach this standby, as if it were too far away. */
    public void stopReceivingFrom(PostgresServer primary) {
        String end = primary.query("SELECT pg_current_wal_flush_lsn()").get(0);
        await("the standby has all").atMost(Patience.LONG).until(() -> query(
                        "SELECT pg_last_wal_receive_lsn() >= '%s'".formatted(end))
                .equals(List.of("t")));
        try {
            receiveFrom("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        query("SELECT pg_reload_conf()");
        await("no replication").atMost(Patience.LONG).until(() -> query("SELECT pid FROM pg_stat_wal_receiver")
                .isEmpty());
    }

    /** This standby becomes a primary. */
    public void promote() {
        query("SELECT pg_promote()");
    }

    /** Starts the running server again with these variables of the environment, which the library cannot set. */
    public void restartWith(Map<String, String> environment) {
        Path postgres = Path.of(postmaster().info().command().orElseThrow());
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // As the library does: PostgreSQL refuses to run as root.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(postgres.resolveSibling("pg_ctl").toString(), "restart"));
        command.addAll(List.of("-D", data.toString(), "-l", data + ".log"));
        ProcessBuilder restart = new ProcessBuilder(command);
        restart.environment().putAll(environment);
        try {
            int exitCode = restart.start().onExit().join().exitValue();
            if (exitCode != 0) {
                throw new IllegalStateException(
                        "pg_ctl restart has failed with " + exitCode + ", see " + data + ".log");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        run("kill", signal, String.valueOf(process.pid()));
    }

    private static void run(String... command) {
        try {
            new ProcessBuilder(command).start().onExit().join();
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

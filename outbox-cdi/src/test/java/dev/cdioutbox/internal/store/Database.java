package dev.cdioutbox.internal.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/** The databases on which the store's contract is kept. Each starts when a test first asks for it, once in a JVM. */
public enum Database {
    H2(SupportedDatabases.H2, "PREPARE COMMIT in_doubt", "ROLLBACK TRANSACTION in_doubt") {
        @Override
        DataSource fresh() {
            JdbcDataSource fresh = new JdbcDataSource();
            fresh.setURL("jdbc:h2:file:" + temporary("outbox-h2").resolve("outbox") + ";" + H2_OPTIONS);
            return fresh;
        }

        @Override
        void drop(DataSource database) {
            execute(database, "SHUTDOWN IMMEDIATELY");
        }

        @Override
        Optional<String> impatience() {
            return Optional.of("SET LOCK_TIMEOUT 100");
        }

        @Override
        public String blocked() {
            // It tells no blocker of an insert: that is tried again and again, within its statement.
            return "SELECT COUNT(*) FROM information_schema.sessions"
                    + " WHERE session_id <> SESSION_ID() AND executing_statement IS NOT NULL";
        }
    },
    POSTGRESQL(SupportedDatabases.POSTGRESQL, "PREPARE TRANSACTION 'in-doubt'", "ROLLBACK PREPARED 'in-doubt'") {
        @Override
        public void start() {
            Postgres.server();
        }

        @Override
        DataSource fresh() {
            String name = Postgres.EMPTIED.poll();
            if (name == null) {
                name = "outbox" + NUMBER.incrementAndGet();
                execute(Postgres.server().getPostgresDatabase(), "CREATE DATABASE " + name);
            }
            return Postgres.server().getDatabase("postgres", name);
        }

        /** It is taken again: to make and to drop one takes several times as long as to empty it. */
        @Override
        void drop(DataSource database) {
            try (Connection connection = database.getConnection()) {
                String name = connection.getCatalog();
                // What is in doubt would be waited for.
                execute(connection, "SET lock_timeout = '30s'");
                execute(
                        connection,
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND pid <> pg_backend_pid()");
                execute(connection, """
                        DO $$ DECLARE name TEXT; BEGIN
                        FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' LOOP
                          EXECUTE format('DROP SCHEMA %I CASCADE', name);
                        END LOOP;
                        CREATE SCHEMA public;
                        GRANT USAGE ON SCHEMA public TO PUBLIC;
                        END $$""");
                execute(connection, "ALTER DATABASE " + name + " RESET ALL");
                Postgres.EMPTIED.add(name);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public String blocked() {
            return "SELECT COUNT(*) FROM pg_locks WHERE NOT granted";
        }
    },
    MARIADB(SupportedDatabases.MARIADB, "XA END 'in-doubt'; XA PREPARE 'in-doubt'", "XA ROLLBACK 'in-doubt'") {
        @Override
        public void start() {
            MariaDbServer.url("");
        }

        @Override
        DataSource fresh() {
            try {
                String name = "outbox" + NUMBER.incrementAndGet();
                execute(new MariaDbDataSource(MariaDbServer.url("")), "CREATE DATABASE " + name);
                return new MariaDbDataSource(MariaDbServer.url(name));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        void drop(DataSource database) {
            // The server goes with its directory.
        }

        @Override
        Optional<String> impatience() {
            return Optional.of("SET SESSION innodb_lock_wait_timeout = 1");
        }

        @Override
        public String blocked() {
            // Not innodb_trx: asked again within 100 ms, that shows what it showed before.
            return "SELECT variable_value FROM information_schema.global_status"
                    + " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'";
        }

        @Override
        void begin(Connection connection) throws SQLException {
            Database.execute(connection, "XA START 'in-doubt'");
        }

        /** Until the server has ended the session, a branch that the session prepared is unknown to other sessions. */
        @Override
        void close(Connection crashed, DataSource database) throws SQLException {
            long session = number(crashed, "SELECT CONNECTION_ID()");
            crashed.close();
            try (Connection watching = database.getConnection()) {
                String ended = "SELECT COUNT(*) FROM information_schema.processlist WHERE id = " + session;
                Awaitility.await().until(() -> number(watching, ended) == 0);
            }
        }
    };

    /**
     * Stays open between connections: to close it is to compact it and to wait for the disk. With H2's own 2 s a pause of the
     * machine would fail the thread that waits for a lock meanwhile.
     */
    static final String H2_OPTIONS = "DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=30000";

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Dialect dialect;
    private final String prepare;
    private final String rollback;

    Database(Dialect dialect, String prepare, String rollback) {
        this.dialect = dialect;
        this.prepare = prepare;
        this.rollback = rollback;
    }

    /**
     * Starts the server, if there is one and it does not run. To be called outside of test methods: on a loaded machine the start
     * alone takes longer than a test may.
     */
    public void start() {
        // H2 has none.
    }

    /** An empty database. */
    abstract DataSource fresh();

    abstract void drop(DataSource database);

    /** Lets a session give up waiting for a lock soon, if a transaction is usable after that. */
    Optional<String> impatience() {
        return Optional.empty();
    }

    /** How many wait for a lock at this moment. */
    public abstract String blocked();

    public Dialect dialect() {
        return dialect;
    }

    void begin(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
    }

    /** The transaction is prepared and left, as by a crash between the phases; in the end it is rolled back. */
    void whileInDoubt(DataSource database, String update, Runnable what) throws SQLException {
        whileInDoubt(database, crashed -> execute(crashed, update), what);
    }

    void whileInDoubt(DataSource database, Work update, Runnable what) throws SQLException {
        try (Connection crashed = database.getConnection()) {
            prepare(crashed, update);
            if (this == H2) {
                // H2 lets go of what a session prepared only with the process: here the session stays.
                try {
                    what.run();
                } finally {
                    execute(crashed, rollback);
                }
                return;
            }
            close(crashed, database);
        }
        try {
            what.run();
        } finally {
            execute(database, rollback);
        }
    }

    /** Closes a connection that has prepared a transaction, and waits until other sessions can end that transaction. */
    void close(Connection crashed, DataSource database) throws SQLException {
        crashed.close();
    }

    private static long number(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void prepare(Connection connection, Work update) throws SQLException {
        begin(connection);
        update.on(connection);
        for (String statement : prepare.split("; ")) {
            execute(connection, statement);
        }
    }

    public static void execute(DataSource database, String sql) {
        try (Connection connection = database.getConnection()) {
            execute(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static Path temporary(String name) {
        try {
            // Beside what the build makes, so that a clean takes it away.
            return Files.createTempDirectory(Files.createDirectories(Path.of("target", "databases")), name)
                    .toAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    interface Work {
        void on(Connection connection) throws SQLException;
    }

    private static final class Postgres {
        /** On a thread of its own: a test that is interrupted would leave a class that cannot be used by any other. */
        private static final CompletableFuture<EmbeddedPostgres> SERVER =
                CompletableFuture.supplyAsync(Postgres::start, start -> new Thread(start, "PostgreSQL").start());

        static final Queue<String> EMPTIED = new ConcurrentLinkedQueue<>();

        static EmbeddedPostgres server() {
            return SERVER.join();
        }

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder()
                        .setPGStartupWait(Duration.ofMinutes(2))
                        // Its data need not outlive this machine.
                        .setServerConfig("fsync", "off")
                        .setServerConfig("max_prepared_transactions", "10")
                        // As long as MariaDB waits by default: a statement that waits for ever fails its test by name.
                        .setServerConfig("lock_timeout", "50s")
                        .setServerConfig("timezone", "America/St_Johns")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

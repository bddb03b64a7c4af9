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

import com.mysql.cj.jdbc.MysqlDataSource;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/** The databases on which the store's tests run. Each server starts when a test first needs it, once in a JVM. */
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
            // H2 does not report the blocker of an insert: the insert retries within its statement. So count the
            // running statements.
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

        /**
         * Empties the database and keeps it for the next test: creating and dropping one takes several times as long.
         */
        @Override
        void drop(DataSource database) {
            try (Connection connection = database.getConnection()) {
                String name = connection.getCatalog();
                // Without a timeout, the drop would wait for ever for a transaction in doubt.
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

        @Override
        Optional<String> limitOfIdleTransactions() {
            return Optional.of("SET idle_in_transaction_session_timeout = '1s'");
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
        public String blocked() {
            // Not innodb_trx: a second query within 100 ms gets the result of the first one.
            return "SELECT variable_value FROM information_schema.global_status"
                    + " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'";
        }

        @Override
        Optional<String> limitOfIdleTransactions() {
            return Optional.of("SET SESSION idle_transaction_timeout = 1");
        }
    },
    MYSQL(SupportedDatabases.MARIADB, "XA END 'in-doubt'; XA PREPARE 'in-doubt'", "XA ROLLBACK 'in-doubt'") {
        @Override
        public void start() {
            MySqlServer.url("");
        }

        @Override
        DataSource fresh() {
            String name = "outbox" + NUMBER.incrementAndGet();
            execute(mySql(""), "CREATE DATABASE " + name);
            return mySql(name);
        }

        private static DataSource mySql(String name) {
            MysqlDataSource database = new MysqlDataSource();
            database.setURL(MySqlServer.url(name));
            return database;
        }

        @Override
        public String blocked() {
            return "SELECT variable_value FROM performance_schema.global_status"
                    + " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'";
        }
    };

    /**
     * Keeps the database open between connections: closing it would compact it and wait for the disk. The lock timeout
     * is in milliseconds. With H2's own 2 s, a pause of the machine would fail a thread that waits for a lock.
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
     * Starts the database's server, if there is one and it does not run. Call this outside of test methods: on a loaded
     * machine the start alone takes longer than a test's timeout.
     */
    public void start() {
        // H2 has no server.
    }

    /** An empty database. */
    abstract DataSource fresh();

    void drop(DataSource database) {
        // The shell of MariaDB's and MySQL's server deletes all its files when the server ends.
    }

    /**
     * The statement that shortens a session's lock timeout; empty if a transaction is unusable after such a timeout.
     */
    Optional<String> impatience() {
        return isInnoDb() ? Optional.of("SET SESSION innodb_lock_wait_timeout = 1") : Optional.empty();
    }

    /**
     * The statement that lets the database end a session that is idle in a transaction for a second; empty without such
     * a limit.
     */
    Optional<String> limitOfIdleTransactions() {
        return Optional.empty();
    }

    /** The query for the number of sessions that wait for a lock at this moment. */
    public abstract String blocked();

    /** Whether this is MariaDB or MySQL, which have the same SQL for the tests. */
    public boolean isInnoDb() {
        return dialect == SupportedDatabases.MARIADB;
    }

    public Dialect dialect() {
        return dialect;
    }

    void begin(Connection connection) throws SQLException {
        if (isInnoDb()) {
            execute(connection, "XA START 'in-doubt'");
        } else {
            connection.setAutoCommit(false);
        }
    }

    /**
     * Prepares a transaction and leaves it, as a crash between the two phases does. Rolls the transaction back after
     * the action.
     */
    void whileInDoubt(DataSource database, String update, Runnable what) throws SQLException {
        whileInDoubt(database, crashed -> execute(crashed, update), what);
    }

    void whileInDoubt(DataSource database, Work update, Runnable what) throws SQLException {
        try (Connection crashed = database.getConnection()) {
            prepare(crashed, update);
            if (this == H2) {
                // H2 releases a prepared transaction only when the process ends, so its session stays open here.
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

    /** Prepares a transaction, and runs the action while its session is open. Then ends both. */
    void whilePrepared(DataSource database, String update, Runnable what) throws SQLException {
        try (Connection node = database.getConnection()) {
            prepare(node, session -> execute(session, update));
            what.run();
        } finally {
            // MariaDB lets another session end the transaction only after the end of the session that has prepared it.
            Awaitility.await().ignoreExceptions().until(() -> {
                execute(database, rollback);
                return true;
            });
        }
    }

    /**
     * Closes a connection that has prepared a transaction, and waits until other sessions can end that transaction: on MariaDB and
     * MySQL, until the server has ended the session.
     */
    void close(Connection crashed, DataSource database) throws SQLException {
        if (!isInnoDb()) {
            crashed.close();
            return;
        }
        long session = number(crashed, "SELECT CONNECTION_ID()");
        crashed.close();
        try (Connection watching = database.getConnection()) {
            String ended = "SELECT COUNT(*) FROM information_schema.processlist WHERE id = " + session;
            Awaitility.await().until(() -> number(watching, ended) == 0);
        }
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
            // Below the build directory, so that {@code mvn clean} deletes the files.
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
        /**
         * A thread of its own starts the server: the interrupt of a test would leave this class unusable for all other
         * tests.
         */
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
                        // The data need not survive a crash of the machine.
                        .setServerConfig("fsync", "off")
                        .setServerConfig("max_prepared_transactions", "10")
                        // MariaDB's default. A statement that waits for ever fails with the name of its test.
                        .setServerConfig("lock_timeout", "50s")
                        .setServerConfig("timezone", "America/St_Johns")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

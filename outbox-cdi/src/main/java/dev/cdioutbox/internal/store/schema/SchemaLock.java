package dev.cdioutbox.internal.store.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.LocalTransaction;

/**
 * Lets one node at a time change the tables. The lock is a row lock on a separate connection, since DDL commits its own
 * transaction on most databases. After a crash of the process, the lock ends with the connection.
 */
final class SchemaLock {
    /** Another node may create an index on many rows, which takes time. */
    static final Duration MAX_WAIT = Duration.ofMinutes(10);

    private SchemaLock() {}

    /**
     * Takes the lock, and waits for other nodes. The table of versions must exist. The end of the transaction releases
     * the lock.
     */
    static LocalTransaction take(DataSource dataSource, String prefix, Dialect dialect) throws SQLException {
        long start = System.nanoTime();
        while (true) {
            LocalTransaction transaction = LocalTransaction.begin(dataSource);
            try {
                lock(transaction, prefix + "schema", dialect);
                return transaction;
            } catch (SQLException | RuntimeException e) {
                transaction.close();
                boolean wait =
                        e instanceof SQLException held && (dialect.isLockTimeout(held) || dialect.isDuplicate(held));
                if (!wait || System.nanoTime() - start > MAX_WAIT.toNanos()) {
                    throw e;
                }
            }
        }
    }

    private static void lock(LocalTransaction transaction, String table, Dialect dialect) throws SQLException {
        Connection connection = transaction.connection();
        if (!found(connection, "SELECT version FROM " + table + " WHERE version = 0")) {
            dialect.uniqueInsert(
                            table, "version = ?", "INSERT INTO " + table + " (version, readable_from) VALUES (?, 0)")
                    .insert(connection, 0);
            transaction.commit();
        }
        if (!found(connection, dialect.lock("version", table, "version = 0"))) {
            throw new SQLException("the row with version 0 has gone from the table of schema versions");
        }
    }

    private static boolean found(Connection connection, String query) throws SQLException {
        return JdbcStatement.of(connection, query)
                        .within((int) MAX_WAIT.toSeconds())
                        .number()
                != null;
    }
}

package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * MariaDB 10.6 or later, and MySQL 8.0.17 or later. Neither has a time type with a zone that keeps the instant. So
 * columns without a zone hold UTC, and times travel as text.
 */
final class MariaDbDialect extends UtcTextDialect {
    MariaDbDialect() {
        super("mariadb", new Errors(Set.of(1062), Set.of(1205), Set.of()), false, "MariaDB", "MySQL");
    }

    @Override
    public String now() {
        return "UTC_TIMESTAMP(6)";
    }

    /**
     * Keeps the hints. InnoDB locks each row that it reads: by another index than the primary key, a statement would wait for
     * rows that other transactions lock. With an order and a limit, MariaDB prefers the primary key to an index of the queue,
     * and reads all published messages (tried with ten million rows).
     */
    @Override
    public String translate(String statement) {
        return statement
                .replaceAll("/\\*! (.*?) \\*/", "$1")
                .replaceAll("FETCH FIRST (\\S+) ROWS ONLY", "LIMIT $1")
                .replace(" AS VARCHAR(", " AS CHAR(");
    }

    @Override
    public String nowPlusMillis(String parameter) {
        return "TIMESTAMPADD(MICROSECOND, 1000 * CAST(" + parameter + " AS SIGNED), UTC_TIMESTAMP(6))";
    }

    @Override
    public String timeParameter(String parameter) {
        return "CAST(" + parameter + " AS DATETIME(6))";
    }

    /** A schema is a catalog in JDBC. */
    @Override
    public String schemaOf(Connection connection, String table) throws SQLException {
        return connection.getCatalog();
    }

    @Override
    List<Finding> findings(Connection connection) throws SQLException {
        List<Finding> found = new ArrayList<>();
        try (Statement show = connection.createStatement();
                ResultSet row = show.executeQuery("SHOW GLOBAL STATUS LIKE 'wsrep_cluster_size'")) {
            if (row.next() && row.getInt(2) > 0) {
                // The servers of a cluster do not share row locks.
                found.add(OutboxCode.GALERA.finding());
            }
        }
        try (Statement recover = connection.createStatement()) {
            recover.execute("XA RECOVER");
        } catch (SQLException refused) {
            // Then the transaction manager finds no branch after a crash, and their messages wait for ever.
            found.add(OutboxCode.XA_RECOVERY_REFUSED.finding(
                    connection.getMetaData().getUserName(), FailureReason.of(refused)));
        }
        if (connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED) {
            // Then InnoDB locks index gaps, and concurrent inserts end in deadlocks.
            found.add(OutboxCode.GAPS_LOCKED.finding(connection.getMetaData().getDatabaseProductName()));
        }
        return found;
    }

    /** No null: an index has nulls first, and each query for the earliest time would read them. */
    @Override
    public String neverDue() {
        return "TIMESTAMP '9999-12-31 00:00:00'";
    }

    /** Text, since the driver shifts even a LocalDateTime in the hour that daylight saving skips in the JVM's zone. */
    @Override
    public String selectTime(String time) {
        return "CAST(%s AS CHAR)".formatted(time);
    }
}

package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/**
 * MariaDB 10.6 or later, and MySQL 8.0.17 or later. Neither has a time with a zone that keeps its instant: times are UTC in
 * columns without one, and text on their way.
 */
public final class MariaDbDialect extends UtcTextDialect {
    MariaDbDialect() {
        super("mariadb", "MariaDB", "MySQL");
    }

    @Override
    public String now() {
        return "UTC_TIMESTAMP(6)";
    }

    @Override
    public String nowPlusMillis() {
        return "TIMESTAMPADD(MICROSECOND, 1000 * CAST(? AS SIGNED), UTC_TIMESTAMP(6))";
    }

    @Override
    String timestamp() {
        return "DATETIME(6)";
    }

    @Override
    public String limit(String rows) {
        return "LIMIT " + rows;
    }

    /** It takes no limit within IN, and no subquery on the table that is updated; but a limit on the update itself. */
    @Override
    public String limitDue(String table, String due, int rows) {
        return "%s ORDER BY available_at LIMIT %d".formatted(due, rows);
    }

    @Override
    boolean isMultiWriterCluster(Connection connection) throws SQLException {
        try (Statement show = connection.createStatement();
                ResultSet row = show.executeQuery("SHOW GLOBAL STATUS LIKE 'wsrep_cluster_size'")) {
            return row.next() && row.getInt(2) > 0;
        }
    }

    @Override
    boolean locksGaps() {
        return true;
    }

    @Override
    public boolean locksOnlyReturnedRows() {
        return false;
    }

    /** InnoDB locks each row that it reads: along another index it would wait for rows that other transactions lock. */
    @Override
    public String byPrimaryKey(String table) {
        return table + " FORCE INDEX (PRIMARY)";
    }

    /** With an order and a limit it prefers the primary key, and reads all that was published (tried: ten million rows). */
    @Override
    public String byIndex(String table, String index) {
        return table + " FORCE INDEX (" + index + ")";
    }

    /** Nulls come first in an index, and would be read whenever the first of the times is asked for. */
    @Override
    public String neverDue() {
        return "TIMESTAMP '9999-12-31 00:00:00'";
    }

    /** It does not use a time in the condition of a subquery that hangs on another table: so the first one is compared. */
    @Override
    public String hasDueBlockedKey(String blockedKey, String index) {
        return "(SELECT g.due_at FROM %s WHERE g.partition_id = p.id AND g.due_at IS NOT NULL ORDER BY g.partition_id, g.due_at LIMIT 1) <= %s"
                .formatted(byIndex(blockedKey + " g", index), now());
    }

    @Override
    public String deleteByPrimaryKey(String table) {
        return "DELETE m FROM " + byPrimaryKey(table + " m");
    }

    @Override
    public UniqueInsert uniqueInsert(String table, String key, String insert) {
        return new NamedLockInsert(table, key, insert, this);
    }

    @Override
    public boolean isLockTimeout(SQLException e) {
        return e.getErrorCode() == 1205;
    }

    /** The driver moves even a LocalDateTime, if it falls into an hour that the JVM's zone leaves out in spring. */
    @Override
    public String selectTime(String time) {
        return "CAST(%s AS CHAR)".formatted(time);
    }

    @Override
    public boolean isAlreadyPresent(SQLException e) {
        // a table, a column, an index, a row
        return Set.of(1050, 1060, 1061, 1062).contains(e.getErrorCode());
    }

    @Override
    public boolean isTableMissing(SQLException e) {
        // Without rights on other tables, the error is about rights; without the database, about the database.
        return super.isTableMissing(e) || Set.of(1142, 1049).contains(e.getErrorCode());
    }
}

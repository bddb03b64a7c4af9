package dev.cdioutbox.internal.store.dialect;

import java.sql.SQLException;
import java.time.ZoneId;
import java.util.Set;

/**
 * Derby 10.16 or later, for development. It has neither a clock in UTC nor SKIP LOCKED, and readers wait for writers.
 * It ignores trailing blanks in comparisons.
 */
public final class DerbyDialect extends GuardedTextDialect {
    DerbyDialect() {
        super("derby", "Apache Derby");
    }

    @Override
    public boolean isTested() {
        return false;
    }

    @Override
    public boolean skipsLocked() {
        return false;
    }

    /** That of the database's JVM, which is this one if it is embedded. */
    @Override
    ZoneId zone() {
        return ZoneId.systemDefault();
    }

    @Override
    public String now() {
        return "CURRENT_TIMESTAMP";
    }

    /** A fraction of a second is counted in nanoseconds of 32 bits: seconds, and what is left. */
    @Override
    public String nowPlusMillis() {
        return "(SELECT {fn TIMESTAMPADD(SQL_TSI_FRAC_SECOND, CAST(MOD(d.millis, 1000) * 1000000 AS INT),"
                + " {fn TIMESTAMPADD(SQL_TSI_SECOND, CAST(d.millis / 1000 AS INT), CURRENT_TIMESTAMP)})}"
                + " FROM (VALUES CAST(? AS BIGINT)) d (millis))";
    }

    @Override
    String timestamp() {
        return "TIMESTAMP";
    }

    @Override
    public String timeParameter() {
        return "TIMESTAMP(CAST(? AS VARCHAR(32)))";
    }

    @Override
    public String selectTime(String time) {
        return "CAST(%s AS VARCHAR(30))".formatted(time);
    }

    @Override
    public String lock(String columns, String table, String condition) {
        return "SELECT %s FROM %s WHERE %s FOR UPDATE WITH RS".formatted(columns, table, condition);
    }

    /** With a query in the condition it takes no FOR UPDATE: then the rows are kept from changing, and locked as they go. */
    @Override
    public String lockSkipLocked(String columns, String table, String condition) {
        return condition.contains("(SELECT")
                ? "SELECT %s FROM %s WHERE %s WITH RS".formatted(columns, table, condition)
                : lock(columns, table, condition);
    }

    /** Waits for the lock time-out. Without XA, rows are locked for a moment only. */
    @Override
    public String lockNoWait(String columns, String table, String condition) {
        return lock(columns, table, condition);
    }

    @Override
    public String isEmptyText(String column) {
        return "LENGTH(" + column + ") = 0";
    }

    /** It has no end for what is deleted: all of it. */
    @Override
    public String deleteFirst(String table, String key, String condition) {
        return "DELETE FROM %s WHERE %s AND CAST(? AS INT) > 0".formatted(table, condition);
    }

    @Override
    public boolean isDuplicate(SQLException e) {
        return "23505".equals(e.getSQLState());
    }

    @Override
    public boolean isLockTimeout(SQLException e) {
        return "40XL1".equals(e.getSQLState());
    }

    @Override
    public boolean isAlreadyPresent(SQLException e) {
        // a table, a view or a column, an index, a row
        return Set.of("X0Y32", "42Z93", "23505").contains(e.getSQLState());
    }
}

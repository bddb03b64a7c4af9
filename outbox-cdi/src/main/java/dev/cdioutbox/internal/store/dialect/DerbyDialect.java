package dev.cdioutbox.internal.store.dialect;

import java.sql.SQLException;
import java.time.ZoneId;
import java.util.Set;

/**
 * Derby 10.16 or later, for development. Derby has neither a clock in UTC nor SKIP LOCKED, and readers wait for
 * writers. Comparisons ignore trailing blanks.
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

    /** The zone of the database's JVM, which is this JVM for an embedded database. */
    @Override
    ZoneId zone() {
        return ZoneId.systemDefault();
    }

    @Override
    public String now() {
        return "CURRENT_TIMESTAMP";
    }

    /** Adds seconds and the rest separately: Derby counts a fraction of a second in nanoseconds of 32 bits. */
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

    /**
     * Derby refuses FOR UPDATE with a subquery in the condition. Then WITH RS keeps the rows from changing, and the
     * update locks them.
     */
    @Override
    public String lockSkipLocked(String columns, String table, String condition) {
        return condition.contains("(SELECT")
                ? "SELECT %s FROM %s WHERE %s WITH RS".formatted(columns, table, condition)
                : lock(columns, table, condition);
    }

    @Override
    public String isEmptyText(String column) {
        return "LENGTH(" + column + ") = 0";
    }

    /** Derby has no limit for DELETE: deletes all rows. */
    @Override
    public String deleteFirst(String table, String condition) {
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

package dev.cdioutbox.internal.store.dialect;

import java.sql.SQLException;
import java.util.Set;

/**
 * Oracle 19c or later. An empty text is none to it: short ones are guarded, and a payload without a text is one of no
 * length. With FOR UPDATE it takes no limit.
 */
public final class OracleDialect extends GuardedTextDialect {
    private static final String FORMAT = "'YYYY-MM-DD HH24:MI:SS.FF6'";

    OracleDialect() {
        super("oracle", "Oracle");
    }

    @Override
    public boolean isTested() {
        return false;
    }

    @Override
    public String now() {
        return "SYS_EXTRACT_UTC(SYSTIMESTAMP)";
    }

    @Override
    public String nowPlusMillis() {
        return "SYS_EXTRACT_UTC(SYSTIMESTAMP) + NUMTODSINTERVAL(CAST(? AS NUMBER) / 1000, 'SECOND')";
    }

    @Override
    String timestamp() {
        return "TIMESTAMP(6)";
    }

    @Override
    public String timeParameter() {
        return "TO_TIMESTAMP(?, " + FORMAT + ")";
    }

    @Override
    public String selectTime(String time) {
        return "TO_CHAR(%s, %s)".formatted(time, FORMAT);
    }

    /** Else it would be made in the schema of the user, where another outbox may have made its own. */
    @Override
    public String indexPrefix(String prefix) {
        return prefix;
    }

    /** It takes neither an order nor an end within the parentheses of a union. */
    @Override
    public String unionPart(String query) {
        return "SELECT * FROM (" + query + ")";
    }

    @Override
    public int maxParameters() {
        return 1000;
    }

    @Override
    public String emptyText() {
        return "NULL";
    }

    @Override
    public String isEmptyText(String column) {
        return column + " IS NULL";
    }

    @Override
    public String deleteFirst(String table, String key, String condition) {
        return "DELETE FROM %s WHERE %s AND ROWNUM <= ?".formatted(table, condition);
    }

    @Override
    public boolean isDuplicate(SQLException e) {
        return e.getErrorCode() == 1;
    }

    @Override
    public boolean isLockTimeout(SQLException e) {
        // a wait with an end, in a distributed transaction too
        return Set.of(30006, 2049).contains(e.getErrorCode());
    }

    @Override
    public boolean isAlreadyPresent(SQLException e) {
        // anything with a name, an index on the same columns, a column, a row
        return Set.of(955, 1408, 1430, 1).contains(e.getErrorCode());
    }
}

package dev.cdioutbox.internal.store;

import java.sql.SQLException;
import java.util.Set;

/**
 * Oracle 19c or later. An empty text is none to it: short ones are guarded, and a payload without a text is one of no
 * length. With FOR UPDATE it takes no limit.
 */
final class OracleDialect extends GuardedTextDialect {
    private static final String FORMAT = "'YYYY-MM-DD HH24:MI:SS.FF6'";

    OracleDialect() {
        super("oracle", "Oracle");
    }

    @Override
    boolean isTested() {
        return false;
    }

    @Override
    String now() {
        return "SYS_EXTRACT_UTC(SYSTIMESTAMP)";
    }

    @Override
    String nowPlusMillis() {
        return "SYS_EXTRACT_UTC(SYSTIMESTAMP) + NUMTODSINTERVAL(CAST(? AS NUMBER) / 1000, 'SECOND')";
    }

    @Override
    String timestamp() {
        return "TIMESTAMP(6)";
    }

    @Override
    String timeParameter() {
        return "TO_TIMESTAMP(?, " + FORMAT + ")";
    }

    @Override
    String selectTime(String time) {
        return "TO_CHAR(%s, %s)".formatted(time, FORMAT);
    }

    /** Else it would be made in the schema of the user, where another outbox may have made its own. */
    @Override
    String indexPrefix(String prefix) {
        return prefix;
    }

    /** It takes neither an order nor an end within the parentheses of a union. */
    @Override
    String unionPart(String query) {
        return "SELECT * FROM (" + query + ")";
    }

    @Override
    int maxParameters() {
        return 1000;
    }

    @Override
    String emptyText() {
        return "NULL";
    }

    @Override
    String isEmptyText(String column) {
        return column + " IS NULL";
    }

    @Override
    String deleteFirst(String table, String key, String condition) {
        return "DELETE FROM %s WHERE %s AND ROWNUM <= ?".formatted(table, condition);
    }

    @Override
    boolean isDuplicate(SQLException e) {
        return e.getErrorCode() == 1;
    }

    @Override
    boolean isLockTimeout(SQLException e) {
        // a wait with an end, in a distributed transaction too
        return Set.of(30006, 2049).contains(e.getErrorCode());
    }

    @Override
    boolean isAlreadyPresent(SQLException e) {
        // anything with a name, an index on the same columns, a column, a row
        return Set.of(955, 1408, 1430, 1).contains(e.getErrorCode());
    }
}

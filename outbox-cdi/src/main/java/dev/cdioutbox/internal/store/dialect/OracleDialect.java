package dev.cdioutbox.internal.store.dialect;

import java.sql.SQLException;
import java.util.Set;

/**
 * Oracle 19c or later. Oracle stores an empty text as null: the outbox guards short texts, and a null payload is an
 * empty one. Oracle refuses a limit with FOR UPDATE.
 */
public final class OracleDialect extends UtcTextDialect {
    private static final String FORMAT = "'YYYY-MM-DD HH24:MI:SS.FF6'";

    OracleDialect() {
        super("oracle", true, "Oracle");
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
    public String timeParameter() {
        return "TO_TIMESTAMP(?, " + FORMAT + ")";
    }

    @Override
    public String selectTime(String time) {
        return "TO_CHAR(%s, %s)".formatted(time, FORMAT);
    }

    /**
     * Includes the schema: otherwise Oracle creates the index in the user's schema, where another outbox may have the
     * same index.
     */
    @Override
    public String indexPrefix(String prefix) {
        return prefix;
    }

    /** Oracle refuses an order and a limit within the parentheses of a union. */
    @Override
    public String unionPart(String query) {
        return "SELECT * FROM (" + query + ")";
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
    public String deleteFirst(String table, String condition) {
        return "DELETE FROM %s WHERE %s AND ROWNUM <= ?".formatted(table, condition);
    }

    @Override
    public boolean isDuplicate(SQLException e) {
        return e.getErrorCode() == 1;
    }

    @Override
    public boolean isLockTimeout(SQLException e) {
        // a lock timeout, also in a distributed transaction
        return Set.of(30006, 2049).contains(e.getErrorCode());
    }

    @Override
    public boolean isAlreadyPresent(SQLException e) {
        // a named object, an index on the same columns, a column, a row
        return Set.of(955, 1408, 1430, 1).contains(e.getErrorCode());
    }
}

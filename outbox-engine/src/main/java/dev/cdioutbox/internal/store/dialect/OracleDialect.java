package dev.cdioutbox.internal.store.dialect;

import java.util.Set;

/**
 * Oracle 19c or later. Oracle stores an empty text as null: the outbox guards short texts, and a null payload is an
 * empty one. Oracle refuses a limit with FOR UPDATE.
 */
final class OracleDialect extends UtcTextDialect {
    private static final String FORMAT = "'YYYY-MM-DD HH24:MI:SS.FF6'";

    OracleDialect() {
        // A lock timeout, also in a distributed transaction. Already present: a named object, an index on the same
        // columns,
        // a column, a row.
        super("oracle", new Errors(Set.of(1), Set.of(30006, 2049), Set.of(955, 1408, 1430, 1)), true, "Oracle");
    }

    @Override
    public String now() {
        return "SYS_EXTRACT_UTC(SYSTIMESTAMP)";
    }

    @Override
    public String translate(String statement) {
        return super.translate(statement)
                .replaceFirst("(?s)^(DELETE FROM .*) FETCH FIRST (:\\w+) ROWS ONLY$", "$1 AND ROWNUM <= $2");
    }

    @Override
    public String nowPlusMillis(String parameter) {
        return "SYS_EXTRACT_UTC(SYSTIMESTAMP) + NUMTODSINTERVAL(CAST(" + parameter + " AS NUMBER) / 1000, 'SECOND')";
    }

    @Override
    public String timeParameter(String parameter) {
        return "TO_TIMESTAMP(" + parameter + ", " + FORMAT + ")";
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
}

package dev.cdioutbox.internal.store.dialect;

import java.util.Set;

/** Db2 11.5 or later on Linux, Unix and Windows. Db2 ignores trailing blanks in comparisons. */
final class Db2Dialect extends UtcTextDialect {
    Db2Dialect() {
        // Already present: a named object, a column, a row.
        super("db2", new Errors(Set.of(-803), Set.of(), Set.of(-601, -612, -803)), true, "Db2");
    }

    /** The product name contains the platform after a slash; other products of that name have none. */
    @Override
    boolean isOf(String productName) {
        return productName.startsWith("DB2/");
    }

    @Override
    public String now() {
        return "(CURRENT TIMESTAMP - CURRENT TIMEZONE)";
    }

    /** Locks each fetched row until the transaction ends; readers do not wait. */
    @Override
    public String translate(String statement) {
        return super.translate(statement)
                .replaceFirst("FOR UPDATE(?= SKIP LOCKED$|$)", "FOR UPDATE WITH RS USE AND KEEP UPDATE LOCKS")
                .replaceFirst("SKIP LOCKED$", "SKIP LOCKED DATA")
                .replaceFirst("(?s)^DELETE FROM (.* FETCH FIRST :\\w+ ROWS ONLY)$", "DELETE FROM (SELECT 1 FROM $1)");
    }

    @Override
    public String nowPlusMillis(String parameter) {
        return "(CURRENT TIMESTAMP - CURRENT TIMEZONE + (CAST(" + parameter + " AS DECIMAL(19, 0)) / 1000) SECONDS)";
    }

    @Override
    public String timeParameter(String parameter) {
        return "TIMESTAMP(CAST(" + parameter + " AS VARCHAR(32)))";
    }

    @Override
    public String selectTime(String time) {
        return "VARCHAR_FORMAT(%s, 'YYYY-MM-DD HH24:MI:SS.FF6')".formatted(time);
    }

    /**
     * Includes the schema: otherwise Db2 creates the index in the user's schema, where another outbox may have the same
     * index.
     */
    @Override
    public String indexPrefix(String prefix) {
        return prefix;
    }
}

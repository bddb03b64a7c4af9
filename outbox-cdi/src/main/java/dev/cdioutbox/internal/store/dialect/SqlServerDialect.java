package dev.cdioutbox.internal.store.dialect;

import java.util.Set;

/**
 * SQL Server 2019 or later, in a database with READ_COMMITTED_SNAPSHOT. SQL Server ignores trailing blanks in
 * comparisons, with every collation.
 */
final class SqlServerDialect extends UtcTextDialect {
    SqlServerDialect() {
        // Already present: a named object, an index, a column, a row.
        super(
                "sqlserver",
                new Errors(Set.of(2601, 2627), Set.of(1222), Set.of(2714, 1913, 2705, 2601, 2627)),
                true,
                "Microsoft SQL Server");
    }

    @Override
    public String now() {
        return "SYSUTCDATETIME()";
    }

    /**
     * Adds seconds and the rest separately: DATEADD takes numbers of 32 bits, too small for the milliseconds of some
     * weeks.
     */
    @Override
    public String nowPlusMillis() {
        return "(SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME()))"
                + " FROM (SELECT CAST(? AS BIGINT) AS millis) d)";
    }

    @Override
    public String timeParameter() {
        return "CAST(? AS DATETIME2(6))";
    }

    @Override
    public String selectTime(String time) {
        return "CONVERT(VARCHAR(26), CAST(%s AS DATETIME2(6)), 121)".formatted(time);
    }

    @Override
    public String lock(String columns, String table, String condition) {
        return "SELECT %s FROM %s WITH (UPDLOCK, ROWLOCK) WHERE %s".formatted(columns, table, condition);
    }

    @Override
    public String lockSkipLocked(String columns, String table, String condition) {
        return "SELECT %s FROM %s WITH (UPDLOCK, ROWLOCK, READPAST) WHERE %s".formatted(columns, table, condition);
    }

    @Override
    public String limit(String rows) {
        return "OFFSET 0 ROWS FETCH NEXT " + rows + " ROWS ONLY";
    }

    @Override
    public String limitUnordered(String rows) {
        return "ORDER BY (SELECT NULL) " + limit(rows);
    }

    @Override
    public String unionPart(String query) {
        return "SELECT * FROM (" + query + ") part";
    }

    /** One row only: SQL Server refuses a query within VALUES. */
    @Override
    public String insertedRows(String expressions, int rows) {
        return "SELECT " + expressions;
    }

    @Override
    public String isEmptyText(String column) {
        return "DATALENGTH(" + column + ") = 0";
    }

    /** SQL Server accepts an ordered limit in a common table expression only, and deletes through that. */
    @Override
    public String deleteFirst(String table, String condition) {
        return "WITH gone AS (SELECT * FROM %s WHERE %s %s) DELETE FROM gone"
                .formatted(table, condition, limitUnordered("?"));
    }
}

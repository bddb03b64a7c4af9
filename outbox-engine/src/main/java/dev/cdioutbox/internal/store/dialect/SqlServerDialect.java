package dev.cdioutbox.internal.store.dialect;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * SQL Server 2019 or later, in a database with READ_COMMITTED_SNAPSHOT. SQL Server ignores trailing blanks in
 * comparisons, with every collation.
 */
final class SqlServerDialect extends UtcTextDialect {
    private static final Pattern LIMIT = Pattern.compile("FETCH FIRST (\\S+) ROWS ONLY");

    private static final Pattern LOCK = Pattern.compile(" FOR UPDATE( SKIP LOCKED)?$");

    SqlServerDialect() {
        // Already present: a named object, an index, a column, a row.
        super(
                "sqlserver",
                new Errors(Set.of(2601, 2627), Set.of(1222), Set.of(2714, 1913, 2705, 2601, 2627)),
                true,
                "Microsoft SQL Server");
    }

    /**
     * SQL Server locks by a hint behind the table, refuses a query within VALUES, has a limit only behind an order, and deletes
     * with a limit only through a common table expression.
     */
    @Override
    public String translate(String statement) {
        String text = super.translate(statement)
                .replaceFirst("(?s)VALUES \\((.*\\(SELECT.*)\\)$", "SELECT $1")
                .replaceFirst(
                        "(?s)^DELETE FROM (.* FETCH FIRST :\\w+ ROWS ONLY)$",
                        "WITH gone AS (SELECT * FROM $1) DELETE FROM gone");
        Matcher limit = LIMIT.matcher(text);
        return locking(limit.replaceAll(
                found -> (outermost("ORDER BY", text.substring(0, found.start())) < 0 ? "ORDER BY (SELECT NULL) " : "")
                        + "OFFSET 0 ROWS FETCH NEXT $1 ROWS ONLY"));
    }

    private static String locking(String text) {
        Matcher lock = LOCK.matcher(text);
        if (!lock.find()) {
            return text;
        }
        String read = text.substring(0, lock.start());
        int condition = outermost("WHERE", read) - 1;
        return read.substring(0, condition)
                + (lock.group(1) == null ? " WITH (UPDLOCK, ROWLOCK)" : " WITH (UPDLOCK, ROWLOCK, READPAST)")
                + read.substring(condition);
    }

    /** Where a word is in a query that is not closed at its end, outside of inner queries; negative if it is not there. */
    private static int outermost(String word, String query) {
        int depth = 0;
        for (int at = query.length() - 1; at >= 0 && depth >= 0; at--) {
            char each = query.charAt(at);
            depth += each == ')' ? 1 : each == '(' ? -1 : 0;
            if (depth == 0 && query.startsWith(word, at)) {
                return at;
            }
        }
        return -1;
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
    public String nowPlusMillis(String parameter) {
        return "(SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME()))"
                + " FROM (SELECT CAST(" + parameter + " AS BIGINT) AS millis) d)";
    }

    @Override
    public String timeParameter(String parameter) {
        return "CAST(" + parameter + " AS DATETIME2(6))";
    }

    @Override
    public String selectTime(String time) {
        return "CONVERT(VARCHAR(26), CAST(%s AS DATETIME2(6)), 121)".formatted(time);
    }
}

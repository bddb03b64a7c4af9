package dev.cdioutbox.internal.store;

/** The SQL of looking messages up, built once for a table prefix and a dialect. */
final class FinderStatements {
    final String highestShadowed;
    final String countWaiting;
    final String stretch;
    final String rowBelow;
    private final String find;
    private final String list;
    private final String first;

    FinderStatements(String prefix, Dialect dialect) {
        String message = prefix + "message";
        first = " ORDER BY seq DESC " + dialect.first("?");
        find = "SELECT %s FROM %s WHERE ".formatted(Statements.columns(dialect), message);
        list = find.replaceFirst("\\bpayload,", "'' AS payload,");
        // From the end of the primary key: what was shadowed last is among the newest.
        highestShadowed = """
                SELECT seq FROM %s WHERE application = ? AND destination = ? AND shadow_destination IS NOT NULL
                ORDER BY seq DESC %s""".formatted(message, dialect.first("1"));
        countWaiting = """
                SELECT COUNT(*) FROM (SELECT queue_id FROM %s WHERE queue_id BETWEEN -2147483647 AND 9223372036854775807
                  ORDER BY queue_id %s) w""".formatted(message, dialect.first("?"));
        stretch = """
                SELECT MIN(w.seq) AS lowest, COUNT(*) AS looked_at, %s AS oldest FROM (
                  SELECT seq, created_at FROM %s WHERE seq < ? AND seq > ? ORDER BY seq DESC %s) w""".formatted(dialect.read("MIN(w.created_at)"), message, dialect.first("?"));
        rowBelow = "SELECT seq, %s AS created_at FROM %s WHERE seq < ? ORDER BY seq DESC %s"
                .formatted(dialect.read("created_at"), message, dialect.first("1"));
    }

    /** The newest of those that meet conditions; the last parameter is how many. */
    String find(Conditions conditions) {
        return find + conditions + first;
    }

    /** The same without their payloads. */
    String list(Conditions conditions) {
        return list + conditions + first;
    }
}

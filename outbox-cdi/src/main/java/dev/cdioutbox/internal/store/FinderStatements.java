package dev.cdioutbox.internal.store;

/** The SQL of looking messages up, built once for a table prefix and a dialect. */
final class FinderStatements {
    /** In the order of the primary key, and not along it: by that, all that was published would be come by. */
    static final String SORTED = "seq + 0";

    final String highestShadowed;
    final String countWaiting;
    final String lowestWaiting;
    final String stretch;
    final String rowBelow;
    private final String find;
    private final String findWaiting;
    private final String list;
    private final String listWaiting;
    private final String first;
    private final String firstWaiting;

    FinderStatements(String prefix, Dialect dialect) {
        String message = prefix + "message";
        String waiting = dialect.byQueue(message, dialect.indexPrefix(prefix) + "message_queue");
        String columns = Statements.columns(dialect);
        String noPayloads = columns.replaceFirst("\\bpayload,", "'' AS payload,");
        find = "SELECT %s FROM %s WHERE ".formatted(columns, message);
        findWaiting = "SELECT %s FROM %s WHERE ".formatted(columns, waiting);
        list = "SELECT %s FROM %s WHERE ".formatted(noPayloads, message);
        listWaiting = "SELECT %s FROM %s WHERE ".formatted(noPayloads, waiting);
        first = " ORDER BY seq DESC " + dialect.first("?");
        firstWaiting = " ORDER BY " + SORTED + " DESC " + dialect.first("?");
        // From the end of the primary key: what was shadowed last is among the newest.
        highestShadowed = """
                SELECT seq FROM %s WHERE application = ? AND destination = ? AND shadow_destination IS NOT NULL
                ORDER BY seq DESC %s""".formatted(message, dialect.first("1"));
        countWaiting = """
                SELECT COUNT(*) FROM (SELECT queue_id FROM %s WHERE queue_id BETWEEN -2147483647 AND 9223372036854775807
                  ORDER BY queue_id %s) w""".formatted(message, dialect.first("?"));
        // One look for each queue, at its first: of partitions, of what is abandoned in them, of keys that wait.
        lowestWaiting = """
                SELECT MIN(f.seq) AS lowest, SUM(f.gate) AS gates FROM (
                  SELECT q.gate, (SELECT m.seq FROM %1$s WHERE m.queue_id = q.id ORDER BY m.queue_id, m.seq %2$s) AS seq FROM (
                    SELECT p.id, 0 AS gate FROM %3$spartition p WHERE p.application = ?
                    UNION ALL
                    SELECT -p.id, 0 AS gate FROM %3$spartition p WHERE p.application = ?
                    UNION ALL
                    SELECT c.id, 1 AS gate FROM (SELECT g.id FROM %3$spartition r JOIN %3$sgate g ON g.queue_id = r.id + 0
                      WHERE r.application = ? %4$s) c) q) f""".formatted(
                        dialect.byQueue(message + " m", dialect.indexPrefix(prefix) + "message_queue"),
                        dialect.first("1"),
                        prefix,
                        dialect.firstOfAny(String.valueOf(Walk.ROWS)));
        stretch = """
                SELECT MIN(w.seq) AS lowest, COUNT(*) AS looked_at, %s AS oldest FROM (
                  SELECT seq, created_at FROM %s WHERE seq < ? AND seq > ? ORDER BY seq DESC %s) w""".formatted(dialect.read("MIN(w.created_at)"), message, dialect.first("?"));
        rowBelow = "SELECT seq, %s AS created_at FROM %s WHERE seq < ? ORDER BY seq DESC %s"
                .formatted(dialect.read("created_at"), message, dialect.first("1"));
    }

    /**
     * The newest of those that meet conditions; the last parameter is how many.
     *
     * @param payloads whether they are read too
     */
    String find(Conditions conditions, boolean payloads) {
        return (payloads ? find : list) + conditions + first;
    }

    /** The same of what waits, by the index of the queues. */
    String findWaiting(Conditions conditions, boolean payloads) {
        return (payloads ? findWaiting : listWaiting) + conditions + firstWaiting;
    }
}

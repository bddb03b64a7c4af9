package dev.cdioutbox.internal.store;

/** The SQL that finds messages, built once for a table prefix and a dialect. */
final class MessageFinderStatements {
    /** Sorts by the sequence without using the primary key, on which all published messages would be read. */
    static final String UNINDEXED_SEQ = "seq + 0";

    final String highestShadowed;
    final String countWaiting;
    final String lowestWaiting;
    final String scanWindow;
    final String rowBelow;
    private final String find;
    private final String findWaiting;
    private final String findWithoutPayload;
    private final String findWaitingWithoutPayload;
    private final String newestFirst;
    private final String newestWaitingFirst;

    MessageFinderStatements(String prefix, Dialect dialect) {
        String message = prefix + "message";
        String waiting = dialect.byIndex(message, dialect.indexPrefix(prefix) + "message_queue");
        String columns = OutboxStatements.columns(dialect);
        String noPayloads = columns.replaceFirst("\\bpayload,", "'' AS payload,");
        find = "SELECT %s FROM %s WHERE ".formatted(columns, message);
        findWaiting = "SELECT %s FROM %s WHERE ".formatted(columns, waiting);
        findWithoutPayload = "SELECT %s FROM %s WHERE ".formatted(noPayloads, message);
        findWaitingWithoutPayload = "SELECT %s FROM %s WHERE ".formatted(noPayloads, waiting);
        newestFirst = " ORDER BY seq DESC " + dialect.limit("?");
        newestWaitingFirst = " ORDER BY " + UNINDEXED_SEQ + " DESC " + dialect.limit("?");
        // From the end of the primary key: what was shadowed last is among the newest.
        highestShadowed = """
                SELECT seq FROM %s WHERE application = ? AND destination = ? AND shadow_destination IS NOT NULL
                ORDER BY seq DESC %s""".formatted(message, dialect.limit("1"));
        countWaiting = """
                SELECT COUNT(*) FROM (SELECT queue_id FROM %s WHERE queue_id BETWEEN -2147483647 AND 9223372036854775807
                  ORDER BY queue_id %s) w""".formatted(message, dialect.limit("?"));
        // One lookup per queue, at its first row: partitions, their abandoned messages, and blocked keys.
        lowestWaiting = """
                SELECT MIN(f.seq) AS lowest, SUM(f.blocked_key) AS blocked_keys FROM (
                  SELECT q.blocked_key, (SELECT m.seq FROM %1$s WHERE m.queue_id = q.id ORDER BY m.queue_id, m.seq %2$s) AS seq FROM (
                    SELECT p.id, 0 AS blocked_key FROM %3$spartition p WHERE p.application = ?
                    UNION ALL
                    SELECT -p.id, 0 AS blocked_key FROM %3$spartition p WHERE p.application = ?
                    UNION ALL
                    SELECT c.id, 1 AS blocked_key FROM (SELECT g.id FROM %3$spartition r JOIN %3$sblocked_key g ON g.partition_id = r.id + 0
                      WHERE r.application = ? %4$s) c) q) f""".formatted(
                        dialect.byIndex(message + " m", dialect.indexPrefix(prefix) + "message_queue"),
                        dialect.limit("1"),
                        prefix,
                        dialect.limitUnordered(String.valueOf(KeyRangeScan.ROWS)));
        scanWindow = """
                SELECT MIN(w.seq) AS lowest, COUNT(*) AS looked_at, %s AS oldest FROM (
                  SELECT seq, created_at FROM %s WHERE seq < ? AND seq > ? ORDER BY seq DESC %s) w""".formatted(dialect.selectTime("MIN(w.created_at)"), message, dialect.limit("?"));
        rowBelow = "SELECT seq, %s AS created_at FROM %s WHERE seq < ? ORDER BY seq DESC %s"
                .formatted(dialect.selectTime("created_at"), message, dialect.limit("1"));
    }

    /**
     * The newest of those that meet conditions; the last parameter is how many.
     *
     * @param payloads whether they are read too
     */
    String find(QueryConditions conditions, boolean payloads) {
        return (payloads ? find : findWithoutPayload) + conditions + newestFirst;
    }

    /** The same of what waits, by the index of the queues. */
    String findWaiting(QueryConditions conditions, boolean payloads) {
        return (payloads ? findWaiting : findWaitingWithoutPayload) + conditions + newestWaitingFirst;
    }
}

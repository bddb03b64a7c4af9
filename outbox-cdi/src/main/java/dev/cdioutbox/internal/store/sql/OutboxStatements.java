package dev.cdioutbox.internal.store.sql;

import java.util.Collections;

import dev.cdioutbox.internal.store.dialect.Dialect;

/** The SQL of the claim's reads, built once for a table prefix and a dialect. */
public final class OutboxStatements {
    private final String readQueue;
    /** The keys, among those in a list, of messages in a range of a queue. */
    public final String keysBetween;

    private final Dialect dialect;

    public OutboxStatements(String prefix, Dialect dialect) {
        this.dialect = dialect;
        String message = prefix + "message";
        String read = """
                SELECT %1$s, CASE WHEN not_before IS NULL THEN message_key END AS ordering_key,
                   CASE WHEN status = 'PENDING' OR status = 'FAILED' AND available_at IS NULL
                   OR available_at <= %2$s THEN 1 ELSE 0 END AS due,
                   CASE WHEN not_before IS NULL AND (SELECT 1 FROM %4$sblocked_key g WHERE g.partition_id = m.queue_id
                     AND g.message_key = m.message_key %5$s) IS NOT NULL THEN 1 ELSE 0 END AS key_blocked
                 FROM %3$s WHERE""".formatted(
                        MessageColumn.selected(dialect),
                        dialect.now(),
                        dialect.byIndex(message + " m", dialect.indexPrefix(prefix) + "message_queue"),
                        prefix,
                        dialect.limitUnordered("1"));
        readQueue = dialect.unionPart(
                read + " queue_id = ? AND seq > ? ORDER BY queue_id, seq %s".formatted(dialect.limit("?")));
        keysBetween = "SELECT DISTINCT message_key FROM " + message
                + " WHERE queue_id = ? AND seq > ? AND seq <= ? AND not_before IS NULL AND message_key IN (%s)";
    }

    public Dialect dialect() {
        return dialect;
    }

    /** Reads each queue's next messages in order, in one round trip; the order between queues does not matter. */
    public String readQueues(int queues) {
        return String.join(" UNION ALL ", Collections.nCopies(queues, readQueue));
    }
}

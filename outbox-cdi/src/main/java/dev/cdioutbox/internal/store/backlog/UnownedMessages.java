package dev.cdioutbox.internal.store.backlog;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * The messages in queues that no row of a partition or a blocked key owns, since that row was deleted: no claim reads
 * them.
 */
public final class UnownedMessages {
    private static final String CAP = String.valueOf(OutboxBacklog.CAP);

    /** In rows: a read of all of them would cost more than the rest of the check. */
    private static final String BLOCKED_KEYS = "1000";

    private UnownedMessages() {}

    /**
     * Selects destination, status and sequence of at most {@link OutboxBacklog#CAP} messages. Its parameter is the
     * application. Looks between the ids of neighbouring rows only, so that the cost does not depend on the number of
     * messages: those of all partitions and of the first thousand blocked keys; and behind the last one.
     */
    public static String select(String prefix, Dialect dialect) {
        String ids = """
                SELECT p.id FROM %1$spartition p UNION ALL SELECT -p.id FROM %1$spartition p
                UNION ALL SELECT k.id FROM (SELECT b.id FROM %2$s
                  WHERE (SELECT o.id FROM %1$spartition o WHERE o.id = b.partition_id) IS NOT NULL ORDER BY b.id %3$s) k""".formatted(prefix, dialect.byPrimaryKey(prefix + "blocked_key b"), dialect.limit(BLOCKED_KEYS));
        // The end is above each id. It is calculated because a literal of that size is not a BIGINT on SQL Server,
        // which would then read the index from its beginning.
        String gaps = """
                SELECT i.id AS first_id, LEAD(i.id) OVER (ORDER BY i.id) AS next_id FROM (%1$s) i
                UNION ALL SELECT MAX(h.id), (MAX(h.id) + %3$s) * 1000000 FROM (SELECT MAX(p.id) AS id FROM %2$spartition p
                  UNION ALL SELECT MAX(b.id) FROM %2$sblocked_key b) h
                UNION ALL SELECT -%3$s, MIN(-p.id) FROM %2$spartition p""".formatted(ids, prefix, Integer.MAX_VALUE);
        String message = dialect.byIndex(prefix + "message m", dialect.indexPrefix(prefix) + "message_queue");
        String between = "m.queue_id > g.first_id AND m.queue_id < g.next_id AND m.application = ?";
        // With an order on PostgreSQL, which only the index of the queues gives.
        return dialect.hasReadWatermark()
                ? """
                SELECT u.destination, u.status, u.seq FROM (%s) g CROSS JOIN LATERAL (
                  SELECT m.destination, m.status, m.seq FROM %s WHERE %s ORDER BY m.queue_id, m.seq %4$s) u
                WHERE g.next_id > g.first_id + 1 %4$s""".formatted(gaps, message, between, dialect.limit(CAP))
                : """
                SELECT m.destination, m.status, m.seq FROM (%s) g JOIN %s ON %s
                WHERE g.next_id > g.first_id + 1 %s""".formatted(gaps, message, between, dialect.limitUnordered(CAP));
    }
}

package dev.cdioutbox.internal.store.backlog;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxBacklog;

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
     * Selects destination, status and sequence of at most {@link OutboxBacklog#CAP} messages. Its parameter is
     * {@code :application}. Looks between the ids of neighbouring rows only, so that the cost does not depend on the number of
     * messages: those of all partitions and of the first thousand blocked keys; and behind the last one.
     */
    public static String select(Sql sql) {
        Dialect dialect = sql.dialect();
        // The end is above each id. It is calculated because a literal of that size is not a BIGINT on SQL Server,
        // which would then read the index from its beginning.
        String gaps = sql.with("keys", dialect.limit(BLOCKED_KEYS))
                .with("int", Integer.MAX_VALUE)
                .of("""
                SELECT i.id AS first_id, LEAD(i.id) OVER (ORDER BY i.id) AS next_id FROM (
                  SELECT p.id FROM {partition} p UNION ALL SELECT -p.id FROM {partition} p
                  UNION ALL SELECT k.id FROM (SELECT b.id FROM {blocked_key b by key}
                    WHERE (SELECT o.id FROM {partition} o WHERE o.id = b.partition_id) IS NOT NULL ORDER BY b.id {keys}) k) i
                UNION ALL SELECT MAX(h.id), (MAX(h.id) + {int}) * 1000000 FROM (SELECT MAX(p.id) AS id FROM {partition} p
                  UNION ALL SELECT MAX(b.id) FROM {blocked_key} b) h
                UNION ALL SELECT -{int}, MIN(-p.id) FROM {partition} p""");
        // With an order on PostgreSQL, which only the index of the queues gives.
        return sql.with("gaps", gaps)
                .with("cap", dialect.limit(CAP))
                .with("anyCap", dialect.limitUnordered(CAP))
                .of(dialect.hasReadWatermark() ? """
                        SELECT u.destination, u.status, u.seq FROM ({gaps}) g CROSS JOIN LATERAL (
                          SELECT m.destination, q.status, q.seq FROM {queue} q CROSS JOIN LATERAL (
                            SELECT i.destination, i.application FROM {message} i WHERE i.seq = q.seq OFFSET 0) m
                          WHERE q.queue_id > g.first_id AND q.queue_id < g.next_id AND m.application = :application
                          ORDER BY q.queue_id, q.seq {cap}) u
                        WHERE g.next_id > g.first_id + 1 {cap}""" : """
                        SELECT /*+ JOIN_FIXED_ORDER() NO_BNL() */ m.destination, q.status, q.seq FROM ({gaps}) g
                        JOIN {queue q by queue_order} ON q.queue_id > g.first_id AND q.queue_id < g.next_id
                        JOIN {message m by key} ON m.seq = q.seq
                        WHERE g.next_id > g.first_id + 1 AND m.application = :application {anyCap}""");
    }
}

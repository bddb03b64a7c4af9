package dev.cdioutbox.internal.store;

import dev.cdioutbox.OutboxBacklog;

/** The SQL that reads the state of the backlog, built once for a table prefix and a dialect. */
final class BacklogStatements {
    private static final String CAP = String.valueOf(OutboxBacklog.CAP);

    final String counts;
    final String oldest;

    private BacklogStatements(String counts, String oldest) {
        this.counts = counts;
        this.oldest = oldest;
    }

    /** Each parameter is the application. */
    static BacklogStatements of(String prefix, Dialect dialect) {
        // Bounded on both sides: with an open end, H2 walks through the nulls too, which are all that was published.
        String counts = """
                SELECT status, COUNT(*) FROM (
                  SELECT status FROM (SELECT status FROM %1$smessage WHERE queue_id BETWEEN 1 AND 9223372036854775807 AND application = ? ORDER BY queue_id %2$s) w
                  UNION ALL
                  %3$s
                ) s GROUP BY status""".formatted(prefix, dialect.first(CAP), abandoned(prefix, dialect));
        String queues = """
                SELECT p.id, p.destination FROM %1$spartition p WHERE p.application = ? AND p.partition_no >= 0
                UNION ALL
                %2$s""".formatted(prefix, gates(prefix, dialect, "g.id, o.destination"));
        return new BacklogStatements(counts, oldest(prefix, dialect, queues, "", delayed(prefix, dialect)));
    }

    /**
     * Each partition is read above its floor only. Three parameters come first: the ids of queues, their floors, and the
     * sequences of what waits below them.
     */
    static BacklogStatements withFloors(String prefix, Dialect dialect) {
        String floors = """
                WITH floors AS (SELECT * FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, floor)),
                below AS (SELECT m.status, m.destination, m.seq FROM %1$smessage m
                  WHERE m.queue_id BETWEEN 1 AND 2147483647 AND m.seq = ANY (CAST(? AS BIGINT[]))),
                queues AS (SELECT p.id, p.partition_no, p.destination, COALESCE(f.floor, 0) AS floor FROM %1$spartition p
                  LEFT JOIN floors f ON f.queue_id = p.id WHERE p.application = ?)
                """.formatted(prefix);
        String counts = floors + """
                SELECT status, COUNT(*) FROM (
                  (SELECT w.status FROM (
                    (SELECT m.status FROM queues q CROSS JOIN LATERAL (SELECT o.status FROM %1$smessage o
                      WHERE o.queue_id = q.id AND o.seq > q.floor ORDER BY o.queue_id, o.seq %2$s) m)
                    UNION ALL
                    (SELECT m.status FROM %1$smessage m
                      WHERE m.queue_id >= 4294967296 AND m.application = ? ORDER BY m.queue_id %2$s)
                    UNION ALL
                    SELECT b.status FROM below b) w %2$s)
                  UNION ALL
                  %3$s
                ) s GROUP BY status""".formatted(prefix, dialect.first(CAP), abandoned(prefix, dialect));
        String queues = """
                SELECT id, destination, floor FROM queues WHERE partition_no >= 0
                UNION ALL
                %s""".formatted(gates(prefix, dialect, "g.id, o.destination, 0"));
        return new BacklogStatements(
                counts,
                floors
                        + oldest(
                                prefix,
                                dialect,
                                queues,
                                "AND m.seq > w.floor ",
                                delayed(prefix, dialect) + " UNION ALL SELECT b.destination, b.seq FROM below b"));
    }

    private static String abandoned(String prefix, Dialect dialect) {
        return "SELECT status FROM (SELECT status FROM %smessage WHERE queue_id BETWEEN -2147483647 AND -1 AND application = ? ORDER BY queue_id %s) a"
                .formatted(prefix, dialect.first(CAP));
    }

    /** The oldest thousand tell enough of what is behind all of them. */
    private static String gates(String prefix, Dialect dialect, String columns) {
        return """
                SELECT %3$s FROM (SELECT id, queue_id FROM %1$sgate ORDER BY id %2$s) g
                  JOIN %1$spartition o ON o.id = g.queue_id WHERE o.application = ?""".formatted(prefix, dialect.first("1000"), columns);
    }

    /** Whose time has not come is not late; whose has come, and was not let into its partition, counts from then on. */
    private static String delayed(String prefix, Dialect dialect) {
        // A sum is sought in no index: H2 would read all that is delayed by that of the queues.
        return """
                UNION ALL SELECT p.destination, (SELECT m.seq FROM %1$s WHERE m.queue_id + 0 = p.id AND %2$s
                  ORDER BY m.available_at %3$s) AS seq FROM %4$spartition p WHERE p.application = ? AND p.partition_no = -1""".formatted(
                        dialect.byQueue(prefix + "message m", dialect.indexPrefix(prefix) + "message_due"),
                        dialect.isPast("m.available_at"),
                        dialect.first("1"),
                        prefix);
    }

    /**
     * The first message of each queue, and since when it could have been sent: since it was written, or its time had come, or
     * an operator put it back.
     */
    private static String oldest(String prefix, Dialect dialect, String queues, String above, String more) {
        String since = """
                SELECT CASE WHEN m.not_before > m.created_at THEN m.not_before ELSE m.created_at END FROM %s
                  WHERE m.seq = f.seq""".formatted(dialect.byKey(prefix + "message m"));
        String putBack = """
                SELECT MAX(a.done_at) FROM %1$saudit_message n JOIN %1$saudit a ON a.id = n.audit_id
                  WHERE n.seq = f.seq AND a.action IN ('retry', 'replay')""".formatted(prefix);
        return """
                SELECT q.destination, %3$s AS oldest, %4$s AS read_at FROM (
                  SELECT f.destination, (%8$s) AS since, (%9$s) AS put_back FROM (
                    SELECT w.destination, (SELECT m.seq FROM %1$s WHERE m.queue_id = w.id
                      %7$sAND m.status <> 'ABANDONED' ORDER BY m.queue_id, m.seq %2$s) AS seq FROM (
                        %5$s) w %6$s) f) q GROUP BY q.destination""".formatted(
                        dialect.byQueue(prefix + "message m", dialect.indexPrefix(prefix) + "message_queue"),
                        dialect.first("1"),
                        dialect.read("MIN(CASE WHEN q.put_back > q.since THEN q.put_back ELSE q.since END)"),
                        dialect.read("MIN(" + dialect.now() + ")"),
                        queues,
                        more,
                        above,
                        since,
                        putBack);
    }
}

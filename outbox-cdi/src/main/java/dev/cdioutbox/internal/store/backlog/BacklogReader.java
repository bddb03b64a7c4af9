package dev.cdioutbox.internal.store.backlog;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Reads the state of the backlog, at a cost that does not depend on the number of published messages. */
public final class BacklogReader {
    /** In seconds. The next health check waits for this query. */
    private static final int TIMEOUT_SECONDS = 10;

    private static final String CAP = String.valueOf(OutboxBacklog.CAP);

    /** Beside the statuses of messages, in the place of one. */
    private static final String PAUSED = "PAUSED";

    private static final Set<String> WAITING = Set.of(OutboxStatus.PENDING.name(), OutboxStatus.FAILED.name());

    private final String application;
    private final Dialect dialect;
    private final Statements sql;
    private final ReadWatermark watermark;

    public BacklogReader(String application, String prefix, Dialect dialect, ReadWatermark watermark) {
        this.application = application;
        this.dialect = dialect;
        this.sql = statements(prefix, dialect);
        this.watermark = watermark;
    }

    public OutboxBacklog read(Connection connection) throws SQLException {
        watermark.refreshIdle(connection);
        List<Count> counts = counts(connection);
        // By the names of statuses, since a newer version may have more statuses.
        Map<String, Integer> byStatus = counts.stream().collect(groupingBy(Count::status, summingInt(Count::messages)));
        List<Oldest> rows = statement(connection, sql.oldest)
                .list(row -> new Oldest(
                        row.getString("destination"), dialect.time(row, "oldest"), dialect.time(row, "read_at")));
        Map<String, Instant> oldest =
                rows.stream().filter(row -> row.time() != null).collect(toMap(Oldest::destination, Oldest::time));
        return new OutboxBacklog(
                byStatus.getOrDefault(OutboxStatus.PENDING.name(), 0),
                byStatus.getOrDefault(OutboxStatus.FAILED.name(), 0),
                byStatus.getOrDefault(OutboxStatus.ABANDONED.name(), 0),
                oldest.values().stream().min(Comparator.naturalOrder()).orElse(null),
                counts.stream()
                        .filter(count -> count.status().equals(PAUSED))
                        .map(Count::destination)
                        .collect(toSet()),
                rows.isEmpty() ? null : rows.get(0).readAt(),
                oldest);
    }

    /**
     * The number of pending and failed messages of each destination that has some. Counting stops at
     * {@link OutboxBacklog#CAP} in all. If the sum reaches the cap, each number is a lower bound, and destinations may
     * be missing.
     */
    public Map<String, Integer> waitingByDestination(Connection connection) throws SQLException {
        return counts(connection).stream()
                .filter(count -> WAITING.contains(count.status()))
                .collect(groupingBy(Count::destination, summingInt(Count::messages)));
    }

    private List<Count> counts(Connection connection) throws SQLException {
        return statement(connection, sql.counts)
                .list(row -> new Count(row.getString(1), row.getString(2), row.getInt(3)));
    }

    private JdbcStatement statement(Connection connection, String text) {
        List<Object> parameters = new ArrayList<>(watermark.parameters());
        long count = text.chars().filter(c -> c == '?').count();
        while (parameters.size() < count) {
            parameters.add(application);
        }
        return JdbcStatement.of(connection, text, parameters.toArray()).within(TIMEOUT_SECONDS);
    }

    /**
     * Builds the SQL. With a read watermark, the first parameters are the partitions and their watermarks; each other
     * parameter is the application.
     */
    public static Statements statements(String prefix, Dialect dialect) {
        Statements messages =
                dialect.hasReadWatermark() ? withWatermarks(prefix, dialect) : fromTheBeginning(prefix, dialect);
        // In the same statement, so that an idle node sends one fewer.
        String paused = " UNION ALL SELECT destination, '%s', 1 FROM %scontrol WHERE application = ? AND paused = 1"
                .formatted(PAUSED, prefix);
        String unowned =
                " UNION ALL SELECT u.destination, u.status, COUNT(*) FROM (%s) u GROUP BY u.destination, u.status"
                        .formatted(UnownedMessages.select(prefix, dialect));
        return new Statements(messages.counts() + unowned + paused, messages.oldest());
    }

    private static Statements fromTheBeginning(String prefix, Dialect dialect) {
        String message = dialect.byIndex(prefix + "message m", dialect.indexPrefix(prefix) + "message_queue");
        // Failed messages first and delayed messages last: the latter may be many, and the count is capped. Begins at
        // the application's own partitions, so that the database reads no rows of other applications. The hint is for
        // MySQL: its hash join would read all waiting messages.
        String counts = """
                SELECT destination, status, COUNT(*) FROM (
                  SELECT destination, status FROM (SELECT destination, status FROM (
                    SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, m.status FROM %1$spartition p
                      JOIN %1$sblocked_key g ON g.partition_id = p.id + 0 JOIN %2$s ON m.queue_id = g.id
                      WHERE p.application = ? %3$s) g
                    UNION ALL
                    SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, m.status FROM %1$spartition p
                      JOIN %2$s ON m.queue_id = p.id WHERE p.application = ? AND p.partition_no >= 0 %3$s) q
                    UNION ALL
                    SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, m.status FROM %1$spartition p
                      JOIN %2$s ON m.queue_id = p.id WHERE p.application = ? AND p.partition_no = -1 %3$s) d
                  ) w %3$s) c
                  UNION ALL
                  SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, m.status FROM %1$spartition p
                    JOIN %2$s ON m.queue_id = -p.id WHERE p.application = ? %3$s) a
                ) s GROUP BY destination, status""".formatted(prefix, message, dialect.limitUnordered(CAP));
        String queues = """
                SELECT p.id, p.destination FROM %1$spartition p WHERE p.application = ? AND p.partition_no >= 0
                UNION ALL
                %2$s""".formatted(
                        prefix,
                        blockedKeys(
                                prefix,
                                dialect,
                                "JOIN %sblocked_key j ON j.partition_id = r.id + 0".formatted(prefix),
                                "g.id, o.destination"));
        return new Statements(
                counts, oldest(prefix, dialect, queues, dialect.isInQueue("m", "w.id"), delayed(prefix, dialect)));
    }

    /**
     * Reads each partition above its read watermark only. The first two parameters are the ids of partitions
     * and their watermarks.
     */
    private static Statements withWatermarks(String prefix, Dialect dialect) {
        String watermarks = """
                WITH watermarks AS (SELECT * FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, watermark)),
                queues AS (SELECT p.id, p.partition_no, p.destination, COALESCE(f.watermark, 0) AS watermark FROM %1$spartition p
                  LEFT JOIN watermarks f ON f.queue_id = p.id WHERE p.application = ?)
                """.formatted(prefix);
        String counts = watermarks
                + """
                SELECT destination, status, COUNT(*) FROM (
                  (SELECT w.destination, w.status FROM (
                    (SELECT q.destination, m.status FROM queues q
                      CROSS JOIN LATERAL (SELECT i.id FROM %1$sblocked_key i WHERE i.partition_id = q.id ORDER BY i.partition_id, i.due_at %2$s) g
                      CROSS JOIN LATERAL (SELECT o.status FROM %1$smessage o WHERE %3$s
                        ORDER BY o.queue_id, o.seq %2$s) m %2$s)
                    UNION ALL
                    (SELECT q.destination, m.status FROM (SELECT * FROM queues ORDER BY partition_no DESC) q
                      CROSS JOIN LATERAL (SELECT o.status FROM %1$smessage o WHERE %4$s
                        ORDER BY o.queue_id, o.seq %2$s) m %2$s)) w %2$s)
                  UNION ALL
                  (SELECT q.destination, m.status FROM queues q CROSS JOIN LATERAL (SELECT o.status FROM %1$smessage o
                    WHERE %5$s ORDER BY o.queue_id, o.seq %2$s) m %2$s)
                ) s GROUP BY destination, status""".formatted(
                                prefix,
                                dialect.limit(CAP),
                                dialect.isInQueue("o", "g.id"),
                                dialect.isInQueueAbove("o", "q.id", "q.watermark"),
                                dialect.isInQueue("o", "-q.id"));
        String queues = """
                SELECT id, destination, watermark FROM queues WHERE partition_no >= 0
                UNION ALL
                %s""".formatted(blockedKeys(
                prefix, dialect, """
                        CROSS JOIN LATERAL (SELECT i.id, i.partition_id FROM %sblocked_key i WHERE i.partition_id = r.id
                          ORDER BY i.partition_id, i.due_at %s) j""".formatted(prefix, dialect.limit(CAP)), "g.id, o.destination, 0"));
        return new Statements(
                counts,
                watermarks
                        + oldest(
                                prefix,
                                dialect,
                                queues,
                                dialect.isInQueueAbove("m", "w.id", "w.watermark"),
                                delayed(prefix, dialect)));
    }

    /**
     * The oldest thousand blocked keys with a sendable message represent all of them. Keys with abandoned messages only
     * stay for ever, so the query skips them. The query reads the oldest keys of all applications, up to the cap, and
     * also any own keys, in case the oldest ones belong to another application.
     */
    private static String blockedKeys(String prefix, Dialect dialect, String ownBlockedKeys, String columns) {
        // One index lookup per blocked key. With EXISTS, PostgreSQL may read and join all waiting rows. The planner
        // expects few, but under an open snapshot the scan also reads all settled entries.
        return """
                SELECT %6$s FROM (
                  SELECT e.id, e.partition_id FROM (
                    SELECT c.id, c.partition_id FROM (SELECT i.id, i.partition_id FROM %2$s ORDER BY i.id %3$s) c
                      WHERE c.partition_id IN (SELECT s.id FROM %1$spartition s WHERE s.application = ?)
                    UNION
                    SELECT b.id, b.partition_id FROM (SELECT j.id, j.partition_id FROM %1$spartition r
                      %7$s WHERE r.application = ? %4$s) b) e
                  WHERE (SELECT n.seq FROM %8$s WHERE %10$s AND n.status <> 'ABANDONED'
                    ORDER BY n.queue_id, n.seq %9$s) IS NOT NULL
                  ORDER BY e.id %5$s) g
                  JOIN %1$spartition o ON o.id = g.partition_id""".formatted(
                        prefix,
                        dialect.byPrimaryKey(prefix + "blocked_key i"),
                        dialect.limit(CAP),
                        dialect.limitUnordered(CAP),
                        dialect.limit("1000"),
                        columns,
                        ownBlockedKeys,
                        dialect.byIndex(prefix + "message n", dialect.indexPrefix(prefix) + "message_queue"),
                        dialect.limit("1"),
                        dialect.isInQueue("n", "e.id"));
    }

    /**
     * Adds the delayed messages that are due but not released yet, whose time is the end of the delay; and the messages
     * in unowned queues.
     */
    private static String delayed(String prefix, Dialect dialect) {
        // Compares the first entry instead of searching by time, so that every database reads one row.
        return """
                UNION ALL SELECT p.destination, (SELECT CASE WHEN m.available_at <= %2$s THEN m.seq END FROM %1$s
                  WHERE m.queue_id = p.id AND m.available_at IS NOT NULL ORDER BY m.queue_id, m.available_at %3$s) AS seq
                FROM %4$spartition p WHERE p.application = ? AND p.partition_no = -1
                UNION ALL SELECT u.destination, MIN(u.seq) AS seq FROM (%5$s) u
                  WHERE u.status <> 'ABANDONED' GROUP BY u.destination""".formatted(
                        dialect.byIndex(prefix + "message m", dialect.indexPrefix(prefix) + "message_due"),
                        dialect.now(),
                        dialect.limit("1"),
                        prefix,
                        UnownedMessages.select(prefix, dialect));
    }

    /**
     * Selects the first message of each queue, with its due time: the insert, the end of the delay, or an operator's
     * retry or replay.
     */
    private static String oldest(String prefix, Dialect dialect, String queues, String isInQueue, String more) {
        String since = """
                SELECT CASE WHEN m.not_before > m.created_at THEN m.not_before ELSE m.created_at END FROM %s
                  WHERE m.seq = f.seq""".formatted(dialect.byPrimaryKey(prefix + "message m"));
        String putBack = """
                SELECT MAX(a.done_at) FROM %1$saudit_message n JOIN %1$saudit a ON a.id = n.audit_id
                  WHERE n.seq = f.seq AND a.action IN ('retry', 'replay')""".formatted(prefix);
        return """
                SELECT q.destination, %3$s AS oldest, %4$s AS read_at FROM (
                  SELECT f.destination, (%8$s) AS since, (%9$s) AS put_back FROM (
                    SELECT w.destination, (SELECT m.seq FROM %1$s WHERE %7$s
                      AND m.status <> 'ABANDONED' ORDER BY m.queue_id, m.seq %2$s) AS seq FROM (
                        %5$s) w %6$s) f) q GROUP BY q.destination""".formatted(
                        dialect.byIndex(prefix + "message m", dialect.indexPrefix(prefix) + "message_queue"),
                        dialect.limit("1"),
                        dialect.selectTime("MIN(CASE WHEN q.put_back > q.since THEN q.put_back ELSE q.since END)"),
                        dialect.selectTime("MIN(" + dialect.now() + ")"),
                        queues,
                        more,
                        isInQueue,
                        since,
                        putBack);
    }

    /**
     * The SQL.
     *
     * @param counts selects destination, status, and the number of messages with both; and the paused destinations
     * @param oldest selects the time of the oldest due message of each destination
     */
    public record Statements(String counts, String oldest) {}

    private record Count(String destination, String status, int messages) {}

    /** @param time when the oldest message of the destination became due; null if none is due */
    private record Oldest(String destination, Instant time, Instant readAt) {}
}

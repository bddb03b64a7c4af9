package dev.cdioutbox.internal.store.operate;

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
import java.util.function.Function;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.StatusCode;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;
import dev.cdioutbox.operate.OutboxBacklog;

/**
 * Reads what waits and what was shadowed, at a cost that does not depend on the number of published messages. Thread-safe; each
 * method runs in any transaction of the caller.
 */
public final class BacklogReader {
    /** In seconds. The next health check waits for this query. */
    private static final int TIMEOUT_SECONDS = 10;

    /**
     * Counts blocked keys, other queues, delayed messages and abandoned ones apart, so that many of one kind hide none of
     * another. Of the blocked keys, it reads as many rows again for their first messages, which may all be abandoned. Begins at
     * the application's own partitions, so that the database reads no rows of other applications. The hint is for MySQL: its
     * hash join would read all waiting messages. The paused destinations are in the same statement, so that an idle node sends
     * one fewer.
     */
    private static final String COUNTS = """
            SELECT destination, status, COUNT(*) FROM (
              SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM {partition} p
                JOIN {blocked_key} g ON g.partition_id = p.id + 0
                JOIN {queue} q /*! FORCE INDEX ({index}queue_order) */ ON q.queue_id = g.id
                WHERE p.application = :application{at} FETCH FIRST {twice the cap} ROWS ONLY) g
              UNION ALL
              SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM {partition} p
                JOIN {queue} q /*! FORCE INDEX ({index}queue_order) */ ON q.queue_id = p.id
                WHERE p.application = :application{at} AND p.partition_no < {delayed} FETCH FIRST {cap} ROWS ONLY) n
              UNION ALL
              SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM {partition} p
                JOIN {queue} q /*! FORCE INDEX ({index}queue_order) */ ON q.queue_id = p.id
                WHERE p.application = :application{at} AND p.partition_no = {delayed} FETCH FIRST {cap} ROWS ONLY) l
              UNION ALL
              SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM {partition} p
                JOIN {queue} q /*! FORCE INDEX ({index}queue_order) */ ON q.queue_id = -p.id
                WHERE p.application = :application{at} FETCH FIRST {cap} ROWS ONLY) a
            ) s GROUP BY destination, status
            UNION ALL SELECT destination, {paused}, 1 FROM {control} WHERE application = :application
              AND (paused = 1 OR backfill_partition IS NOT NULL)""";

    /** Reads each partition above its read watermark only. Ranges and orders, as a claim has them. */
    private static final String COUNTS_ON_POSTGRESQL = """
            {watermarks}SELECT destination, status, COUNT(*) FROM (
              (SELECT p.destination, m.status FROM queues p
                CROSS JOIN LATERAL (SELECT i.id FROM {blocked_key} i WHERE i.partition_id = p.id
                  ORDER BY i.partition_id, i.due_at FETCH FIRST {twice the cap} ROWS ONLY) g
                CROSS JOIN LATERAL (SELECT q.status FROM {queue} q WHERE q.queue_id >= g.id AND q.queue_id <= g.id
                  ORDER BY q.queue_id, q.seq FETCH FIRST {twice the cap} ROWS ONLY) m FETCH FIRST {twice the cap} ROWS ONLY)
              UNION ALL
              (SELECT p.destination, m.status FROM (SELECT * FROM queues ORDER BY partition_no) p
                CROSS JOIN LATERAL (SELECT q.status FROM {queue} q
                  WHERE (q.queue_id, q.seq) > (p.id, p.watermark) AND q.queue_id <= p.id
                  ORDER BY q.queue_id, q.seq FETCH FIRST {cap} ROWS ONLY) m FETCH FIRST {cap} ROWS ONLY)
              UNION ALL
              (SELECT p.destination, m.status FROM queues p
                CROSS JOIN LATERAL (SELECT q.status FROM {queue} q WHERE q.queue_id >= -p.id AND q.queue_id <= -p.id
                  ORDER BY q.queue_id, q.seq FETCH FIRST {cap} ROWS ONLY) m FETCH FIRST {cap} ROWS ONLY)
            ) s GROUP BY destination, status
            UNION ALL SELECT destination, {paused}, 1 FROM {control} WHERE application = :application
              AND (paused = 1 OR backfill_partition IS NOT NULL)""";

    private static final String WATERMARKS = """
            WITH watermarks AS (SELECT * FROM unnest(CAST(:partitions AS BIGINT[]), CAST(:watermarks AS BIGINT[])) AS f(queue_id, watermark)),
            queues AS (SELECT p.id, p.partition_no, p.destination, COALESCE(f.watermark, 0) AS watermark FROM {partition} p
              LEFT JOIN watermarks f ON f.queue_id = p.id WHERE p.application = :application{at})
            """;

    /**
     * Selects the time since when the first message of each destination is due: its insert, the end of its delay, or an
     * operator's retry or replay. Also looks at the delayed messages that are due but not released yet. For delayed messages,
     * compares the first entry instead of searching by time, so that every database reads one row.
     */
    private static final String OLDEST = """
            SELECT s.destination, {time MIN(s.since)} AS oldest, {time MIN({now})} AS read_at FROM (
              SELECT f.destination, (
                SELECT CASE WHEN q.requeued_at IS NOT NULL THEN q.requeued_at
                  WHEN m.not_before > m.created_at THEN m.not_before ELSE m.created_at END
                FROM {queue} q /*! FORCE INDEX (PRIMARY) */ JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = q.seq
                WHERE q.seq = f.seq) AS since
              FROM (
                SELECT w.destination, (SELECT q.seq FROM {queue} q /*! FORCE INDEX ({index}queue_order) */
                  WHERE {in queue} AND q.status <> {ABANDONED}
                  ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) AS seq FROM ({queues}) w
                UNION ALL SELECT p.destination, (SELECT CASE WHEN q.available_at <= {now} THEN q.seq END
                  FROM {queue} q /*! FORCE INDEX ({index}queue_due) */ WHERE q.queue_id = p.id AND q.available_at IS NOT NULL
                  ORDER BY q.queue_id, q.available_at FETCH FIRST 1 ROWS ONLY) AS seq
                FROM {partition} p WHERE p.application = :application{at} AND p.partition_no = {delayed}) f) s
            GROUP BY s.destination""";

    private static final String QUEUES = """
            SELECT p.id, p.destination FROM {partition} p WHERE p.application = :application{at} AND p.partition_no < {delayed}
            UNION ALL {blocked keys}""";

    private static final String QUEUES_ON_POSTGRESQL = """
            SELECT id, destination, watermark FROM queues WHERE partition_no < {delayed}
            UNION ALL {blocked keys}""";

    /**
     * The oldest blocked keys with a sendable message represent all of them. Keys with abandoned messages only stay for ever, so
     * the query skips them.
     *
     * <p>One index lookup per blocked key. With EXISTS, PostgreSQL may read and join all waiting rows. The planner expects few,
     * but under an open snapshot the scan also reads all settled entries.
     */
    private static final String BLOCKED_KEYS = """
            SELECT {columns} FROM (
              SELECT e.id, e.partition_id FROM (
                {candidates}) e
              WHERE (SELECT q.seq FROM {queue} q /*! FORCE INDEX ({index}queue_order) */ WHERE {in queue of key} AND q.status <> {ABANDONED}
                ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) IS NOT NULL
              ORDER BY e.id FETCH FIRST {representatives} ROWS ONLY) g
              JOIN {partition} o ON o.id = g.partition_id""";

    /** The oldest keys of all applications, and any own keys, in case the oldest ones belong to another application. */
    private static final String CANDIDATES = """
            SELECT c.id, c.partition_id FROM (SELECT i.id, i.partition_id FROM {blocked_key} i /*! FORCE INDEX (PRIMARY) */
                    ORDER BY i.id FETCH FIRST {cap} ROWS ONLY) c
                  WHERE c.partition_id IN (SELECT s.id FROM {partition} s WHERE s.application = :application)
                UNION
                SELECT b.id, b.partition_id FROM ({candidates of one}) b""";

    private static final String CANDIDATES_OF_ONE = """
            SELECT j.id, j.partition_id FROM {partition} r
                  {own keys} WHERE r.application = :application{of one} FETCH FIRST {cap} ROWS ONLY""";

    private static final String HAS_MANY_BLOCKED_KEYS = """
            SELECT COUNT(*) FROM (SELECT b.id FROM {blocked_key} b FETCH FIRST {representatives} ROWS ONLY) k""";

    private static final String OWN_KEYS = "JOIN {blocked_key} j ON j.partition_id = r.id + 0";

    private static final String OWN_KEYS_ON_POSTGRESQL = """
            CROSS JOIN LATERAL (SELECT i.id, i.partition_id FROM {blocked_key} i WHERE i.partition_id = r.id
                ORDER BY i.partition_id, i.due_at FETCH FIRST {cap} ROWS ONLY) j""";

    /** So many blocked keys represent all others when the oldest message is looked for. */
    private static final int REPRESENTATIVES = 1_000;

    /** Beside the statuses of messages, in the place of one. */
    private static final int PAUSED = -1;

    private static final Set<Integer> WAITING = Set.of(StatusCode.PENDING, StatusCode.FAILED);
    private static final Set<Integer> ABANDONED = Set.of(StatusCode.ABANDONED);

    private final Connections connections;
    private final String application;
    private final Dialect dialect;
    private final Statements sql;
    private final ReadWatermark watermark;
    private final String highestShadowed;

    public BacklogReader(Connections connections, String application, Sql sql, ReadWatermark watermark) {
        this.connections = connections;
        this.application = application;
        this.dialect = sql.dialect();
        this.sql = statements(sql);
        this.watermark = watermark;
        // Scans from the end of the primary key: the last shadowed message is among the newest.
        highestShadowed = sql.of("""
                SELECT d.seq FROM {delivery} d JOIN {message} m ON m.seq = d.seq
                WHERE m.application = :application AND m.destination = :destination AND d.shadow_destination IS NOT NULL
                ORDER BY d.seq DESC FETCH FIRST 1 ROWS ONLY""");
    }

    public Backlog backlog() {
        return connections.withConnection("reading the backlog", connection -> {
            watermark.refreshIdle(connection);
            List<Count> counts = counts(connection);
            // By the numbers of statuses, since a newer version may have more statuses.
            Map<Integer, Integer> byStatus =
                    counts.stream().collect(groupingBy(Count::status, summingInt(Count::messages)));
            List<Oldest> rows = oldest(connection, sum(counts, WAITING));
            Map<String, Instant> oldest =
                    rows.stream().filter(row -> row.time() != null).collect(toMap(Oldest::destination, Oldest::time));
            int failed = Math.min(byStatus.getOrDefault(StatusCode.FAILED, 0), OutboxBacklog.CAP);
            return new Backlog(
                    Math.min(byStatus.getOrDefault(StatusCode.PENDING, 0), OutboxBacklog.CAP - failed),
                    failed,
                    Math.min(byStatus.getOrDefault(StatusCode.ABANDONED, 0), OutboxBacklog.CAP),
                    oldest.values().stream().min(Comparator.naturalOrder()).orElse(null),
                    counts.stream()
                            .filter(count -> count.status() == PAUSED)
                            .map(Count::destination)
                            .collect(toSet()),
                    rows.isEmpty() ? null : rows.get(0).readAt(),
                    oldest);
        });
    }

    /**
     * The pending and failed messages of these destinations. Where one statement for all reaches a cap, one for each destination
     * follows, so that no destination hides another.
     */
    public Map<String, Waiting> waiting(Set<String> destinations) {
        List<Count> all = connections.withConnection("reading the backlog", this::counts);
        boolean isCut = isCut(all);
        return destinations.stream()
                .collect(toMap(Function.identity(), each -> isCut ? waiting(each) : Waiting.at(each, all)));
    }

    /** The pending and failed messages of a destination. */
    public Waiting waiting(String destination) {
        return Waiting.at(
                destination,
                connections.withConnection(
                        "reading the backlog",
                        connection ->
                                list(statement(connection, sql.countsOfOne).set("destination", destination))));
    }

    /** Of blocked keys, the statement reads twice the cap, so that it cannot be cut with less than a cap of both kinds. */
    private static boolean isCut(List<Count> counts) {
        return sum(counts, WAITING) >= OutboxBacklog.CAP || sum(counts, ABANDONED) >= OutboxBacklog.CAP;
    }

    private static int sum(List<Count> counts, Set<Integer> statuses) {
        return counts.stream()
                .filter(count -> statuses.contains(count.status()))
                .mapToInt(Count::messages)
                .sum();
    }

    /** The highest sequence with a shadow mark for a destination; null if there is none. */
    public Long highestShadowed(String destination) {
        return connections.withConnection(
                "looking for what was shadowed", connection -> ofDestination(connection, highestShadowed, destination)
                        .number());
    }

    private List<Count> counts(Connection connection) throws SQLException {
        return list(statement(connection, sql.counts));
    }

    private static List<Count> list(JdbcStatement counts) throws SQLException {
        return counts.list(row -> new Count(row.getString(1), row.getInt(2), row.getInt(3)));
    }

    /** Each destination apart if there are so many blocked keys that those of one could represent all destinations. */
    private List<Oldest> oldest(Connection connection, int waiting) throws SQLException {
        List<Oldest> ofAll = oldest(statement(connection, sql.oldest));
        if (waiting < REPRESENTATIVES
                || JdbcStatement.of(connection, sql.blockedKeys).number() < REPRESENTATIVES) {
            return ofAll;
        }
        List<Oldest> ofEach = new ArrayList<>();
        for (Oldest each : ofAll) {
            ofEach.addAll(oldest(statement(connection, sql.oldestOfOne).set("destination", each.destination())));
        }
        return ofEach;
    }

    private List<Oldest> oldest(JdbcStatement statement) throws SQLException {
        return statement.list(row ->
                new Oldest(row.getString("destination"), dialect.time(row, "oldest"), dialect.time(row, "read_at")));
    }

    private JdbcStatement ofDestination(Connection connection, String text, String destination) {
        return JdbcStatement.of(connection, text)
                .set("application", application)
                .set("destination", destination);
    }

    private JdbcStatement statement(Connection connection, String text) {
        return JdbcStatement.of(connection, text)
                .setAll(watermark.parameters())
                .set("application", application)
                .behind(dialect.planScansByIndex())
                .within(TIMEOUT_SECONDS);
    }

    private static Statements statements(Sql tables) {
        Sql sql = tables.with("delayed", PartitionIds.DELAYED)
                .with("paused", PAUSED)
                .with("cap", OutboxBacklog.CAP)
                .with("twice the cap", 2 * OutboxBacklog.CAP)
                .with("representatives", REPRESENTATIVES);
        Sql all = byIndex(sql.with("at", "").with("of one", ""));
        Sql one = byIndex(sql.with("at", " AND p.destination = :destination")
                .with("of one", " AND r.destination = :destination"));
        return new Statements(
                all.of(counts(sql.dialect())),
                one.of(counts(sql.dialect())),
                oldest(all, CANDIDATES),
                oldest(one, CANDIDATES_OF_ONE),
                sql.of(HAS_MANY_BLOCKED_KEYS));
    }

    /** With the fragments by which the database finds rows in an index. */
    private static Sql byIndex(Sql sql) {
        return isPostgresql(sql.dialect())
                ? sql.with("watermarks", WATERMARKS)
                        .with("columns", "g.id, o.destination, 0")
                        .with("own keys", OWN_KEYS_ON_POSTGRESQL)
                        .with("in queue of key", "q.queue_id >= e.id AND q.queue_id <= e.id")
                        .with("in queue", "(q.queue_id, q.seq) > (w.id, w.watermark) AND q.queue_id <= w.id")
                : sql.with("watermarks", "")
                        .with("columns", "g.id, o.destination")
                        .with("own keys", OWN_KEYS)
                        .with("in queue of key", "q.queue_id = e.id")
                        .with("in queue", "q.queue_id = w.id");
    }

    /** @param candidates which blocked keys may represent all others */
    private static String oldest(Sql sql, String candidates) {
        return sql.with("candidates of one", CANDIDATES_OF_ONE)
                .with("candidates", candidates)
                .with("blocked keys", BLOCKED_KEYS)
                .with("queues", isPostgresql(sql.dialect()) ? QUEUES_ON_POSTGRESQL : QUEUES)
                .of("{watermarks}" + OLDEST);
    }

    private static String counts(Dialect dialect) {
        return isPostgresql(dialect) ? COUNTS_ON_POSTGRESQL : COUNTS;
    }

    private static boolean isPostgresql(Dialect dialect) {
        return dialect == SupportedDatabases.POSTGRESQL;
    }

    /**
     * The SQL, with the parameter {@code :application} and those of the read watermark.
     *
     * @param counts selects destination, number of the status, and the number of messages with both; and the paused destinations
     * @param countsOfOne the same for the messages of the parameter {@code :destination}
     * @param oldest selects the time of the oldest due message of each destination
     * @param oldestOfOne the same for the parameter {@code :destination}
     * @param blockedKeys counts the blocked keys of all applications, up to the number that represents all
     */
    private record Statements(
            String counts, String countsOfOne, String oldest, String oldestOfOne, String blockedKeys) {}

    /**
     * How many messages wait for a destination.
     *
     * @param messages up to {@link OutboxBacklog#CAP}
     * @param isCapped whether counting stopped, so that more may wait
     */
    public record Waiting(int messages, boolean isCapped) {
        private static Waiting at(String destination, List<Count> counts) {
            List<Count> own = counts.stream()
                    .filter(count -> count.destination().equals(destination))
                    .toList();
            return new Waiting(Math.min(sum(own, WAITING), OutboxBacklog.CAP), isCut(own));
        }
    }

    private record Count(String destination, int status, int messages) {}

    /** @param time when the oldest message of the destination became due; null if none is due */
    private record Oldest(String destination, Instant time, Instant readAt) {}

    /** The state of the backlog, as it is read. Public, as JSON-B needs it for the console. */
    public record Backlog(
            int pending,
            int failed,
            int abandoned,
            Instant oldest,
            Set<String> paused,
            Instant readAt,
            Map<String, Instant> oldestOf,
            Integer inDoubt)
            implements OutboxBacklog {

        /** Without the dispatcher's knowledge of messages in doubt. */
        public Backlog(
                int pending,
                int failed,
                int abandoned,
                Instant oldest,
                Set<String> paused,
                Instant readAt,
                Map<String, Instant> oldestOf) {
            this(pending, failed, abandoned, oldest, paused, readAt, oldestOf, null);
        }

        /** Keeps unmodifiable copies. */
        public Backlog {
            paused = Set.copyOf(paused);
            oldestOf = Map.copyOf(oldestOf);
        }

        /** A copy with the number of messages in doubt that the dispatcher of this process knows. */
        public Backlog withInDoubt(int messages) {
            return new Backlog(pending, failed, abandoned, oldest, paused, readAt, oldestOf, messages);
        }
    }
}

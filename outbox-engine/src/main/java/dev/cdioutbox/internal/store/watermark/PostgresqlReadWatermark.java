package dev.cdioutbox.internal.store.watermark;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * On PostgreSQL, index entries of settled messages stay while an old snapshot is open (a report, a dump), and a claim from the
 * beginning would read all of them. So claims begin above the read watermark of the partition:
 *
 * <pre>
 *   sequences of a partition
 *   up to 479   all settled, and not read             read watermark:   479
 *   480         the first message that waits
 *   up to 500   their transactions have ended         commit watermark: 500
 *   up to 530   a message may still be committed      last sequence:    530
 * </pre>
 *
 * <p>If the message 480 is settled and the next one that waits is 520, the read watermark rises to 500 only, because 510 could
 * still be committed ({@link PostgresqlCommitWatermark}). Below it, only requeued messages can appear, which have left their key's
 * order.
 *
 * <table>
 * <caption>What moves the watermark of a partition</caption>
 * <tr><th>what happens</th><th>the watermark</th><th>when this is noticed</th></tr>
 * <tr><td>A claim finds the first message of the partition, even if another claim has locked it</td>
 *     <td>rises to just below this message</td><td>with each claim</td></tr>
 * <tr><td>No claim of this node looks, because the partition is empty or paused</td>
 *     <td>rises to just below the first message, or without one to the commit watermark</td>
 *     <td>once a minute ({@link #raiseUnclaimed})</td></tr>
 * <tr><td>This node requeues a delayed message</td><td>falls below it</td><td>at once</td></tr>
 * <tr><td>Another node or an operator requeues a message</td><td>falls below it</td>
 *     <td>every second while claims find messages, every ten on an idle node, and at the next claim after {@link #querySoon}
 *     ({@link #findRequeued})</td></tr>
 * <tr><td>The database is restarted, or its sequence goes back</td><td>falls to zero</td>
 *     <td>with each look at the commit watermark: every 100 ms while claims find messages, and before
 *     {@code raiseUnclaimed} ({@link #observe})</td></tr>
 * </table>
 *
 * <p>A query that is slow comes less often ({@link PeriodicQuery}).
 */
final class PostgresqlReadWatermark implements ReadWatermark {
    /**
     * Claims read the entries settled within about this time again, and each observation has a cost: R14 of
     * docs/benchmark.md had 0.92 of its rate at 100 ms, 0.82 at 60 ms, and 0.64 to 0.77 at 250 ms.
     */
    private static final Duration OBSERVATION_PERIOD = Duration.ofMillis(100);

    /** A message that another node requeued waits for about this long, on an idle node until the backlog is read. */
    private static final Duration REQUEUED_PERIOD = Duration.ofSeconds(1);

    /** Long, to spare an idle node statements: claims raise the watermarks of the partitions in which they find messages. */
    private static final Duration UNCLAIMED_PERIOD = Duration.ofMinutes(1);

    /** In seconds; shorter, since health checks wait for the backlog. */
    private static final int BACKLOG_TIMEOUT_SECONDS = 5;

    private final Map<Long, Long> watermarks = new ConcurrentHashMap<>();
    private final String application;
    private final PostgresqlCommitWatermark commitWatermark;
    private final PeriodicQuery observation;
    private final PeriodicQuery requeuedScan;
    private final PeriodicQuery unclaimedScan;
    private final AtomicBoolean refreshing = new AtomicBoolean();
    /** Whether claims have found messages since the last observation. Otherwise there is hardly a settled entry to skip. */
    private volatile boolean claimsFoundMessages;

    private final String firstAbove;
    private final String firstBelow;

    PostgresqlReadWatermark(
            String application, Sql sql, PostgresqlCommitWatermark commitWatermark, LongSupplier nanos) {
        this.application = application;
        this.commitWatermark = commitWatermark;
        this.observation = new PeriodicQuery(this::observe, OBSERVATION_PERIOD, nanos);
        this.requeuedScan = new PeriodicQuery(this::findRequeued, REQUEUED_PERIOD, nanos);
        this.unclaimedScan = new PeriodicQuery(this::raiseUnclaimed, UNCLAIMED_PERIOD, nanos);
        // Messages in the partition of delayed messages have no order.
        firstAbove = sql.with("delayed", PartitionIds.DELAYED).of("""
                SELECT p.id, COALESCE(f.watermark, 0) AS watermark,
                  (SELECT q.seq FROM {queue} q WHERE (q.queue_id, q.seq) > (p.id, COALESCE(f.watermark, 0)) AND q.queue_id <= p.id
                    ORDER BY q.queue_id, q.seq LIMIT 1) AS first
                FROM {partition} p
                LEFT JOIN unnest(CAST(:partitions AS BIGINT[]), CAST(:watermarks AS BIGINT[])) AS f(queue_id, watermark) ON f.queue_id = p.id
                WHERE p.application = :application AND p.partition_no < {delayed}""");
        firstBelow = sql.of("""
                SELECT b.queue_id, b.seq
                FROM unnest(CAST(:partitions AS BIGINT[]), CAST(:watermarks AS BIGINT[])) AS f(queue_id, watermark)
                CROSS JOIN LATERAL (SELECT q.queue_id, q.seq FROM {queue} q
                  WHERE (q.queue_id, q.seq) <= (f.queue_id, f.watermark) AND q.queue_id >= f.queue_id
                  ORDER BY q.queue_id, q.seq LIMIT 1) b""");
    }

    @Override
    public long of(long partition) {
        return watermarks.getOrDefault(partition, 0L);
    }

    @Override
    public long commitWatermark() {
        return commitWatermark.sequence();
    }

    @Override
    public void raise(long partition, long from, long to) {
        claimsFoundMessages = true;
        raiseTo(partition, from, to);
    }

    /** Only from the value that the read has used: a message may have been requeued since. */
    private void raiseTo(long partition, long from, long to) {
        if (to <= from || to > commitWatermark.sequence()) {
            return;
        }
        boolean isRaised = watermarks.replace(partition, from, to);
        if (!isRaised && from == 0) {
            // A partition without a watermark counts as one with 0.
            watermarks.putIfAbsent(partition, to);
        }
    }

    @Override
    public void requeued(long partition, long sequence) {
        // Always changes the value, also that of a partition without one, so that a claim that has read before does not
        // raise it.
        // If others have raised it to the same value meanwhile, findRequeued finds the message.
        watermarks.compute(partition, (p, known) -> Math.min(known == null ? 0 : known, sequence) - 1);
    }

    @Override
    public void querySoon() {
        requeuedScan.runSoon();
    }

    @Override
    public void refresh(Connection connection) throws SQLException {
        if (claimsFoundMessages || requeuedScan.isRequested()) {
            runDue(connection, JdbcStatement.LOCK_WAIT_SECONDS, observation, requeuedScan);
        }
    }

    @Override
    public void refreshIdle(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            runDue(connection, JdbcStatement.LOCK_WAIT_SECONDS, requeuedScan);
            runDue(connection, BACKLOG_TIMEOUT_SECONDS, unclaimedScan);
        }
    }

    /** Leaves the queries to another thread if that thread runs them already. */
    private void runDue(Connection connection, int timeoutSeconds, PeriodicQuery... queries) throws SQLException {
        if (refreshing.compareAndSet(false, true)) {
            try {
                for (PeriodicQuery query : queries) {
                    query.runIfDue(connection, timeoutSeconds);
                }
            } finally {
                refreshing.set(false);
            }
        }
    }

    private void observe(Connection connection, int timeoutSeconds) throws SQLException {
        boolean continues = commitWatermark.observe(connection, timeoutSeconds);
        claimsFoundMessages = false;
        if (!continues) {
            watermarks.clear();
        }
    }

    /** Reads all settled entries, so this query must be rare. */
    private void findRequeued(Connection connection, int timeoutSeconds) throws SQLException {
        if (!watermarks.isEmpty()) {
            JdbcStatement.of(connection, firstBelow)
                    .setAll(parameters())
                    .within(timeoutSeconds)
                    .forEach(row -> requeued(row.getLong("queue_id"), row.getLong("seq")));
        }
    }

    private void raiseUnclaimed(Connection connection, int timeoutSeconds) throws SQLException {
        observation.runIfDue(connection, timeoutSeconds);
        long highest = commitWatermark();
        JdbcStatement.of(connection, firstAbove)
                .setAll(parameters())
                .set("application", application)
                .within(timeoutSeconds)
                .forEach(row -> {
                    long first = row.getLong("first");
                    long to = row.wasNull() ? highest : Math.min(highest, first - 1);
                    raiseTo(row.getLong("id"), row.getLong("watermark"), to);
                });
    }

    @Override
    public Map<String, Object> parameters() {
        Map<Long, Long> all = Map.copyOf(watermarks);
        return Map.of("partitions", ReadWatermark.array(all.keySet()), "watermarks", ReadWatermark.array(all.values()));
    }
}

package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Finds the partitions of a destination from which something can be sent: a message waits there or a blocked key is
 * due, and neither a pause nor a valid lease forbids it. Locks some of them, skipping those that are locked already.
 * Because the same statement finds the first waiting message of each partition, this class also raises the read
 * watermarks. Thread-safe.
 */
final class PartitionQuery {
    /** The partitions with a waiting message or a due blocked key. */
    private static final String NON_EMPTY = """
            SELECT p.id, CASE WHEN {due key} THEN 1 ELSE 0 END AS blocked_keys, 0 AS first_seq, 1 AS chosen
            FROM {partition} p WHERE p.id BETWEEN :first AND :last
              AND ((SELECT q.seq FROM {queue} q WHERE {waits} {any 1}) IS NOT NULL OR {due key})""";

    /** The same on PostgreSQL: one search of the index serves the condition and the read watermark. */
    private static final String NON_EMPTY_WITH_WATERMARK = """
            SELECT p.id, CASE WHEN {due key} THEN 1 ELSE 0 END AS blocked_keys, q.seq AS first_seq, 1 AS chosen
            FROM {partition} p LEFT JOIN LATERAL (SELECT q.seq FROM {queue} q WHERE {waits} {any 1}) q ON TRUE
            WHERE p.id BETWEEN :first AND :last
              AND (q.seq IS NOT NULL OR {due key})""";

    private final Dialect dialect;
    private final PartitionIds partitions;
    private final ReadWatermark watermark;

    /** Selects all of these partitions, locked or not, and the delayed partition if a message is due. */
    private final String select;

    /** The same, and locks some of them. Only where {@link Dialect#locksOnlyReturnedRows}. */
    private final String selectAndLock;

    /** Locks one partition, unless it was locked or leased since. */
    private final String lock;

    /** Finds a partition where something waits, whatever forbids to send it. */
    private final String waiting;

    PartitionQuery(Sql tables, PartitionIds partitions, ReadWatermark watermark) {
        this.dialect = tables.dialect();
        this.partitions = partitions;
        this.watermark = watermark;
        // The condition on a due key is not by EXISTS, for which a planner that expects small tables reads the whole
        // table.
        Sql sql = tables.with(
                        "due key",
                        dialect.hasDueBlockedKey(
                                tables.of("{blocked_key}"), dialect.indexPrefix(tables.prefix()) + "blocked_key_due"))
                .with("not leased", tables.of("(p.leased_until IS NULL OR p.leased_until <= {now})"))
                .with("not paused", tables.of("""
                NOT EXISTS (SELECT 1 FROM {control} c WHERE c.application = p.application
                  AND c.destination IN (p.destination, '*')
                  AND (c.paused = 1 OR c.backfill_partition <> p.id))"""))
                .with("due", dialect.limitDue("available_at <= " + dialect.now(), 1))
                .with("waits", watermark.waits());
        String nonEmpty = dialect.hasReadWatermark() ? sql.of(NON_EMPTY_WITH_WATERMARK) : sql.of(NON_EMPTY);
        String claimable = nonEmpty + sql.of(" AND {not paused} AND {not leased}");
        waiting = nonEmpty + sql.of(" {any 1}");
        // The delayed partition is never locked, because other threads and nodes must see due messages while a send
        // hangs. Its columns are named like those above, because Db2 keeps a name only if each part of a union has
        // it.
        String delayed = sql.of("""
                SELECT p.id, 0 AS blocked_keys, 0 AS first_seq, 1 AS chosen FROM {partition} p WHERE p.id = :delayed
                  AND {not paused} AND (SELECT seq FROM {queue} WHERE queue_id = :delayed AND {due}) IS NOT NULL""");
        select = claimable + " UNION ALL " + delayed;
        selectAndLock =
                sql.with("claimable", claimable).with("delayed", delayed).of("""
                WITH claimable AS ({claimable}), locked AS (
                  SELECT p.id FROM claimable c JOIN {partition} p ON p.id = c.id WHERE {not leased}
                  ORDER BY CASE WHEN p.id > :after THEN 0 ELSE 1 END, p.id LIMIT :most FOR UPDATE OF p SKIP LOCKED)
                SELECT c.id, c.blocked_keys, c.first_seq, CASE WHEN l.id IS NULL THEN 0 ELSE 1 END AS chosen
                FROM claimable c LEFT JOIN locked l ON l.id = c.id UNION ALL {delayed}""");
        lock = dialect.lockSkipLocked("p.id", sql.of("{partition} p"), sql.of("p.id = ? AND {not leased}"));
    }

    /** Finds partitions and locks none. The first one is the next after a given partition. */
    Partitions select(Connection connection, String destination, long after, ClaimLimits limits) throws SQLException {
        return find(connection, select, destination, after, limits);
    }

    /** Finds partitions, and locks as many as the limits allow. */
    Partitions lock(Connection connection, String destination, long after, ClaimLimits limits) throws SQLException {
        if (dialect.locksOnlyReturnedRows()) {
            return find(connection, selectAndLock, destination, after, limits);
        }
        Partitions found = find(connection, select, destination, after, limits);
        List<Long> free = new ArrayList<>();
        for (long partition : found.ids()) {
            if (free.size() < limits.partitions()
                    && JdbcStatement.of(connection, lock, partition).number() != null) {
                free.add(partition);
            }
        }
        return found.only(free);
    }

    private Partitions find(Connection connection, String statement, String destination, long after, ClaimLimits limits)
            throws SQLException {
        // Before the query, which then sees all rows up to it.
        long commitWatermark = watermark.commitWatermark();
        Map<Long, Long> watermarks = watermarks(destination);
        long delayed = partitions.id(destination, PartitionIds.DELAYED);
        Map<String, Object> parameters = Map.of(
                "watermarks",
                ReadWatermark.array(watermarks.values()),
                "first",
                Math.max(limits.range().first(), partitions.first(destination)),
                "last",
                Math.min(limits.range().last(), partitions.last(destination)),
                "after",
                after,
                "most",
                limits.partitions(),
                "delayed",
                delayed);
        List<Found> found = JdbcStatement.named(connection, statement, parameters)
                .behind(dialect.planByIndex())
                .list(Found::of);
        found.forEach(partition -> raise(partition, watermarks.get(partition.id), commitWatermark));
        return Partitions.of(found, delayed, after);
    }

    /** By id, in the order of the partitions' numbers. */
    private Map<Long, Long> watermarks(String destination) {
        Map<Long, Long> watermarks = new LinkedHashMap<>();
        partitions.claimed(destination).forEach(id -> watermarks.put(id, watermark.of(id)));
        return watermarks;
    }

    /**
     * Also for a partition that another claim has locked. Otherwise empty claims read all dead index entries of such
     * partitions: eight dispatchers then delivered 0.29 of what one does, and deliver 0.46 to 0.58 now.
     *
     * @param from the watermark in the query; null for the delayed partition
     */
    private void raise(Found partition, Long from, long commitWatermark) {
        if (from != null) {
            watermark.raise(partition.id, from, Math.min(commitWatermark, partition.firstSequence - 1));
        }
    }

    /** Whether something waits in a partition of the destination, even if it is paused, leased or locked. */
    boolean isWaiting(Connection connection, String destination) throws SQLException {
        Map<String, Object> parameters = Map.of(
                "watermarks", ReadWatermark.array(watermarks(destination).values()),
                "first", partitions.first(destination),
                "last", partitions.last(destination));
        return JdbcStatement.named(connection, waiting, parameters)
                        .behind(dialect.planByIndex())
                        .number()
                != null;
    }

    /**
     * A row of the query.
     *
     * @param firstSequence the first message that waits there; 0 if none does, and where there are no watermarks
     * @param isChosen whether the query has locked the partition; true if it locks none
     */
    record Found(long id, boolean hasDueBlockedKeys, long firstSequence, boolean isChosen) {
        static Found of(ResultSet row) throws SQLException {
            return new Found(
                    row.getLong("id"),
                    row.getInt("blocked_keys") == 1,
                    row.getLong("first_seq"),
                    row.getInt("chosen") == 1);
        }
    }

    /**
     * Partitions of one destination with waiting messages.
     *
     * @param ids in the order of service
     * @param withDueBlockedKeys those of them that have a due blocked key
     * @param delayedAreDue whether delayed messages of the destination are due
     * @param foundLocked whether messages also wait in partitions that are locked, or above the limit
     */
    record Partitions(List<Long> ids, List<Long> withDueBlockedKeys, boolean delayedAreDue, boolean foundLocked) {
        static final Partitions NONE = new Partitions(List.of(), List.of(), false, false);

        /**
         * Sorts out the rows of a query.
         *
         * @param delayed the partition of delayed messages, which is found if some are due
         * @param after the partition after which the service begins
         */
        static Partitions of(List<Found> rows, long delayed, long after) {
            List<Found> waiting = rows.stream().filter(row -> row.id != delayed).toList();
            List<Found> chosen = waiting.stream()
                    .filter(Found::isChosen)
                    .sorted(Comparator.comparing((Found row) -> row.id <= after).thenComparing(Found::id))
                    .toList();
            return new Partitions(
                    chosen.stream().map(Found::id).toList(),
                    chosen.stream()
                            .filter(Found::hasDueBlockedKeys)
                            .map(Found::id)
                            .toList(),
                    rows.stream().anyMatch(row -> row.id == delayed),
                    chosen.size() < waiting.size());
        }

        Partitions only(List<Long> some) {
            return new Partitions(
                    some,
                    withDueBlockedKeys.stream().filter(some::contains).toList(),
                    delayedAreDue,
                    some.size() < ids.size());
        }
    }
}

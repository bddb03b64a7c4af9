package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.store.claim.Partitions.Found;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
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
final class PartitionClaim {
    /** Finds the partitions, locked or not, and the delayed partition if a message is due. */
    private static final String FIND = """
            SELECT p.id, CASE WHEN {due key} THEN 1 ELSE 0 END AS blocked_keys, 0 AS first_seq, 1 AS chosen
            FROM {partition} p
            WHERE p.id BETWEEN :first AND :last AND ({first waiting} IS NOT NULL OR {due key}) AND {not paused} AND {not leased}
            UNION ALL {delayed}""";

    /** Locks one of them, unless it was locked or leased since. */
    private static final String LOCK =
            "SELECT p.id FROM {partition} p WHERE p.id = :id AND {not leased} FOR UPDATE SKIP LOCKED";

    /**
     * Both on PostgreSQL, where FOR UPDATE with a limit locks the returned rows only. One search of the index serves the
     * condition and the read watermark.
     */
    private static final String FIND_AND_LOCK = """
            WITH claimable AS (
              SELECT p.id, CASE WHEN {due key} THEN 1 ELSE 0 END AS blocked_keys, q.seq AS first_seq
              FROM {partition} p LEFT JOIN LATERAL {first waiting} q ON TRUE
              WHERE p.id BETWEEN :first AND :last AND (q.seq IS NOT NULL OR {due key}) AND {not paused} AND {not leased}),
            locked AS (
              SELECT p.id FROM claimable c JOIN {partition} p ON p.id = c.id WHERE {not leased}
              ORDER BY CASE WHEN p.id > :after THEN 0 ELSE 1 END, p.id LIMIT :most FOR UPDATE OF p SKIP LOCKED)
            SELECT c.id, c.blocked_keys, c.first_seq, CASE WHEN l.id IS NULL THEN 0 ELSE 1 END AS chosen
            FROM claimable c LEFT JOIN locked l ON l.id = c.id
            UNION ALL {delayed}""";

    /** Finds a partition where something waits, whatever forbids to send it. */
    private static final String WAITING = """
            SELECT p.id FROM {partition} p
            WHERE p.id BETWEEN :first AND :last AND ({first waiting} IS NOT NULL OR {due key}) FETCH FIRST 1 ROWS ONLY""";

    private static final String FIRST_WAITING =
            "(SELECT q.seq FROM {queue} q WHERE q.queue_id = p.id FETCH FIRST 1 ROWS ONLY)";

    /**
     * Above the read watermark, and with an order, which only the index of the queues gives (see {@link PageReader}). A
     * subquery has the watermarks, so that the database parses the array once and not for each partition.
     */
    private static final String FIRST_WAITING_ON_POSTGRESQL = """
            (SELECT q.seq FROM {queue} q
                WHERE (q.queue_id, q.seq) > (p.id, (SELECT CAST(:watermarks AS BIGINT[]))[p.partition_no]) AND q.queue_id <= p.id
                ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY)""";

    /**
     * One lookup in the index of due times. Not by EXISTS, for which a planner that expects small tables reads the whole table.
     * Compares the earliest time, because MariaDB does not use the index for a time in the condition of a correlated subquery.
     */
    private static final String DUE_KEY = """
            (SELECT g.due_at FROM {blocked_key} g /*! FORCE INDEX ({index}blocked_key_due) */
                WHERE g.partition_id = p.id AND g.due_at IS NOT NULL ORDER BY g.partition_id, g.due_at FETCH FIRST 1 ROWS ONLY) <= {now}""";

    private static final String NOT_PAUSED = """
            NOT EXISTS (SELECT 1 FROM {control} c WHERE c.application = p.application
                AND c.destination IN (p.destination, '*') AND (c.paused = 1 OR c.backfill_partition <> p.id))""";

    private static final String NOT_LEASED = "(p.leased_until IS NULL OR p.leased_until <= {now})";

    /**
     * Never locked, because other threads and nodes must see due messages while a send hangs. The columns are named like those
     * of the others, because Db2 keeps a name only if each part of a union has it.
     */
    private static final String DELAYED = """
            SELECT p.id, 0 AS blocked_keys, 0 AS first_seq, 1 AS chosen FROM {partition} p WHERE p.id = :delayed AND {not paused}
              AND (SELECT seq FROM {queue} WHERE queue_id = :delayed AND available_at <= {now}
                ORDER BY queue_id, available_at FETCH FIRST 1 ROWS ONLY) IS NOT NULL""";

    private final String planByIndex;
    private final PartitionIds partitions;
    private final ReadWatermark watermark;
    private final boolean locksOnFind;
    private final String find;
    private final String lock;
    private final String waiting;

    PartitionClaim(Sql tables, PartitionIds partitions, ReadWatermark watermark) {
        this.planByIndex = tables.dialect().planByIndex();
        this.partitions = partitions;
        this.watermark = watermark;
        locksOnFind = tables.dialect() == SupportedDatabases.POSTGRESQL;
        Sql sql = tables.with("first waiting", locksOnFind ? FIRST_WAITING_ON_POSTGRESQL : FIRST_WAITING)
                .with("due key", DUE_KEY)
                .with("not paused", NOT_PAUSED)
                .with("not leased", NOT_LEASED);
        find = sql.with("delayed", DELAYED).of(locksOnFind ? FIND_AND_LOCK : FIND);
        lock = sql.of(LOCK);
        waiting = sql.of(WAITING);
    }

    /** Finds partitions and locks none. The first one is the next after a given partition. */
    Partitions find(Connection connection, String destination, long after, ClaimLimits limits) throws SQLException {
        return query(connection, destination, after, limits, 0);
    }

    /** Finds partitions, and locks as many as the limits allow. */
    Partitions findAndLock(Connection connection, String destination, long after, ClaimLimits limits)
            throws SQLException {
        Partitions found = query(connection, destination, after, limits, limits.partitions());
        if (locksOnFind) {
            return found;
        }
        List<Long> free = new ArrayList<>();
        for (long partition : found.ids()) {
            if (free.size() < limits.partitions()
                    && JdbcStatement.of(connection, lock).set("id", partition).number() != null) {
                free.add(partition);
            }
        }
        return found.only(free);
    }

    /** @param most how many partitions to lock, where the query can */
    private Partitions query(Connection connection, String destination, long after, ClaimLimits limits, int most)
            throws SQLException {
        // Before the query, which then sees all rows up to it.
        long commitWatermark = watermark.commitWatermark();
        Map<Long, Long> watermarks = watermarks(destination);
        long delayed = partitions.id(destination, PartitionIds.DELAYED);
        List<Found> found = JdbcStatement.of(connection, find)
                .set("watermarks", ReadWatermark.array(watermarks.values()))
                .set("first", Math.max(limits.range().first(), partitions.first(destination)))
                .set("last", Math.min(limits.range().last(), partitions.last(destination)))
                .set("after", after)
                .set("most", most)
                .set("delayed", delayed)
                .behind(planByIndex)
                .list(row -> Found.of(row, most));
        found.forEach(partition -> raise(partition, watermarks.get(partition.id()), commitWatermark));
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
            watermark.raise(partition.id(), from, Math.min(commitWatermark, partition.firstSequence() - 1));
        }
    }

    /** Whether something waits in a partition of the destination, even if it is paused, leased or locked. */
    boolean isWaiting(Connection connection, String destination) throws SQLException {
        return JdbcStatement.of(connection, waiting)
                        .set(
                                "watermarks",
                                ReadWatermark.array(watermarks(destination).values()))
                        .set("first", partitions.first(destination))
                        .set("last", partitions.last(destination))
                        .behind(planByIndex)
                        .number()
                != null;
    }
}

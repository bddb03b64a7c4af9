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
 * Finds the partitions of a destination from which something can be sent: a message waits there or a blocked key is due, and
 * neither a pause nor a valid lease forbids it. Locks some of them, and skips those that are locked already.
 *
 * <table>
 * <caption>The statements</caption>
 * <tr><th>database</th><th>find</th><th>lock</th></tr>
 * <tr><td>PostgreSQL</td><td colspan="2">one statement, because its FOR UPDATE with a limit locks the returned rows only</td></tr>
 * <tr><td>others</td><td>one statement</td><td>one statement for each partition</td></tr>
 * </table>
 *
 * <p>Claims serve the partitions in turn: first those after the last one that was served, and then those up to it. The
 * statement that finds them puts them into this order, because on PostgreSQL it also chooses which ones to lock. It finds the
 * first waiting message of each partition, so this class raises the read watermarks, too. Thread-safe.
 */
final class PartitionClaim {
    /** Finds the partitions, and the delayed one if a message is due there. */
    private static final String FIND = """
            SELECT p.id, {section} AS section, CASE WHEN {due key} THEN 1 ELSE 0 END AS blocked_keys, 0 AS first_seq, 0 AS locked
            FROM {partition} p
            WHERE p.id BETWEEN :first AND :last AND ({first waiting} IS NOT NULL OR {due key}) AND {not paused} AND {not leased}
            UNION ALL {delayed}
            ORDER BY section, id""";

    /** Locks one of them, unless it was locked or leased since. */
    private static final String LOCK =
            "SELECT p.id FROM {partition} p WHERE p.id = :id AND {not leased} FOR UPDATE SKIP LOCKED";

    /** Both on PostgreSQL. One search of the index serves the condition and the read watermark. */
    private static final String FIND_AND_LOCK = """
            WITH claimable AS (
              SELECT p.id, {section} AS section, CASE WHEN {due key} THEN 1 ELSE 0 END AS blocked_keys, q.seq AS first_seq
              FROM {partition} p LEFT JOIN LATERAL {first waiting} q ON TRUE
              WHERE p.id BETWEEN :first AND :last AND (q.seq IS NOT NULL OR {due key}) AND {not paused} AND {not leased}),
            locked AS (
              SELECT p.id FROM claimable c JOIN {partition} p ON p.id = c.id WHERE {not leased}
              ORDER BY c.section, c.id LIMIT :most FOR UPDATE OF p SKIP LOCKED)
            SELECT c.*, COALESCE(l.id, 0) AS locked
            FROM claimable c LEFT JOIN locked l ON l.id = c.id
            UNION ALL {delayed}
            ORDER BY section, id""";

    /**
     * Never locked, because other threads and nodes must see due messages while a send hangs. The columns are named like those
     * of the others, because Db2 keeps a name only if each part of a union has it.
     */
    private static final String DELAYED = """
            SELECT p.id, {delayed section} AS section, 0 AS blocked_keys, 0 AS first_seq, 0 AS locked
            FROM {partition} p WHERE p.id = :delayed AND {not paused}
              AND (SELECT seq FROM {queue} WHERE queue_id = :delayed AND available_at <= {now}
                ORDER BY queue_id, available_at FETCH FIRST 1 ROWS ONLY) IS NOT NULL""";

    private static final String SECTION = "CASE WHEN p.id > :after THEN 0 ELSE 1 END";

    static final String FIRST_WAITING = "(SELECT q.seq FROM {queue} q WHERE q.queue_id = p.id FETCH FIRST 1 ROWS ONLY)";

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
    static final String DUE_KEY = """
            (SELECT g.due_at FROM {blocked_key} g /*! FORCE INDEX ({index}blocked_key_due) */
                WHERE g.partition_id = p.id AND g.due_at IS NOT NULL ORDER BY g.partition_id, g.due_at FETCH FIRST 1 ROWS ONLY) <= {now}""";

    private static final String NOT_PAUSED = """
            NOT EXISTS (SELECT 1 FROM {control} c WHERE c.application = p.application
                AND c.destination IN (p.destination, '*') AND (c.paused = 1 OR c.backfill_partition <> p.id))""";

    private static final String NOT_LEASED = "(p.leased_until IS NULL OR p.leased_until <= {now})";

    private final String planByIndex;
    private final PartitionIds partitions;
    private final ReadWatermark watermark;
    private final boolean locksOnFind;
    private final String find;
    private final String lock;

    PartitionClaim(Sql tables, PartitionIds partitions, ReadWatermark watermark) {
        this.planByIndex = tables.dialect().planByIndex();
        this.partitions = partitions;
        this.watermark = watermark;
        locksOnFind = tables.dialect() == SupportedDatabases.POSTGRESQL;
        Sql sql = tables.with("section", SECTION)
                .with("delayed section", Found.DELAYED_SECTION)
                .with("first waiting", locksOnFind ? FIRST_WAITING_ON_POSTGRESQL : FIRST_WAITING)
                .with("due key", DUE_KEY)
                .with("not paused", NOT_PAUSED)
                .with("not leased", NOT_LEASED);
        find = sql.with("delayed", DELAYED).of(locksOnFind ? FIND_AND_LOCK : FIND);
        lock = sql.of(LOCK);
    }

    /** Finds partitions and locks none. The first one is the next after a given partition. */
    Partitions find(Connection connection, String destination, long after, ClaimLimits limits) throws SQLException {
        return Partitions.of(find(connection, destination, after, limits.range(), 0));
    }

    /** Finds partitions, and keeps those that it could lock, as many as the limits allow. */
    Partitions findAndLock(Connection connection, String destination, long after, ClaimLimits limits)
            throws SQLException {
        List<Found> found = find(connection, destination, after, limits.range(), limits.partitions());
        Partitions all = Partitions.of(found);
        return all.only(locksOnFind ? Found.locked(found) : lock(connection, all.ids(), limits.partitions()));
    }

    /** @param most how many partitions to lock, where the statement can */
    private List<Found> find(Connection connection, String destination, long after, PartitionRange range, int most)
            throws SQLException {
        // Before the query, which then sees all rows up to it.
        long commitWatermark = watermark.commitWatermark();
        Map<Long, Long> watermarks = watermarks(destination);
        List<Found> found = JdbcStatement.of(connection, find)
                .set("watermarks", ReadWatermark.array(watermarks.values()))
                .set("first", Math.max(range.first(), partitions.first(destination)))
                .set("last", Math.min(range.last(), partitions.last(destination)))
                .set("after", after)
                .set("most", most)
                .set("delayed", partitions.id(destination, PartitionIds.DELAYED))
                .behind(planByIndex)
                .list(Found::of);
        found.stream()
                .filter(partition -> !partition.isDelayed())
                .forEach(partition -> raise(partition, watermarks.get(partition.id()), commitWatermark));
        return found;
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
     * @param from the watermark in the query
     */
    private void raise(Found partition, long from, long commitWatermark) {
        watermark.raise(partition.id(), from, Math.min(commitWatermark, partition.firstSequence() - 1));
    }

    private List<Long> lock(Connection connection, List<Long> found, int most) throws SQLException {
        List<Long> locked = new ArrayList<>();
        for (long partition : found) {
            if (locked.size() < most
                    && JdbcStatement.of(connection, lock).set("id", partition).number() != null) {
                locked.add(partition);
            }
        }
        return locked;
    }
}

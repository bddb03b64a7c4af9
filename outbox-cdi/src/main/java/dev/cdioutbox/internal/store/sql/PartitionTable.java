package dev.cdioutbox.internal.store.sql;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.store.HolderToken;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * The partitions of each destination: creates them at the start, and knows their ids. If rows were deleted, inserts them
 * again under new ids, and moves the messages that wait under the old ones.
 *
 * <p>Behind the partitions of the keys comes one for the copies of a {@linkplain dev.cdioutbox.internal.store.jdbc.BackfillTable
 * backfill}. It is claimed like them, and first while the backfill runs.
 */
public final class PartitionTable {
    /** The number of the partition that holds delayed messages. */
    public static final int DELAYED = -1;

    /** The class of SQL states. */
    private static final String TRANSACTION_ROLLBACK = "40";

    /** In attempts: more than the nodes that start at the same moment. */
    private static final int MAX_ATTEMPTS = 20;

    /** In messages: the most that one statement moves. */
    private static final int BATCH_SIZE = 1000;

    private static final Logger LOG = Logger.getLogger(PartitionTable.class.getName());

    private final StoreConfig config;
    private final String partition;
    private final String partitions;
    private final String otherApplications;
    private final String insertPartition;
    private final String waiting;
    private final String continueBackfill;
    /** Finds the messages that are in no queue of their partition. */
    private final String misplaced;
    // In these, %s is in the place of a list of sequences.
    private final String lock;
    private final String move;
    /** Of this application, by destination. */
    private volatile Map<String, Ids> known = Map.of();

    /** The ids of a destination's partitions by number: the delayed one, those of the keys, and that of a backfill. */
    private record Ids(List<Integer> all) {
        int of(int number) {
            return all.get(number - DELAYED);
        }

        /** Those that a claim takes. */
        List<Integer> claimed() {
            return all.subList(-DELAYED, all.size());
        }

        /** The number of partitions for keys, which begin at 0: also the number of the one for a backfill. */
        int count() {
            return all.size() + DELAYED - 1;
        }
    }

    public PartitionTable(StoreConfig config, Dialect dialect) {
        this.config = config;
        Sql sql = new Sql(config.tablePrefix(), dialect);
        partition = sql.of("{partition}");
        partitions = sql.of("SELECT destination, partition_no, id FROM {partition} WHERE application = ?");
        otherApplications = sql.of("""
                SELECT DISTINCT p.application FROM {partition} p
                WHERE p.application <> ? AND ((SELECT 1 FROM {queue} q WHERE q.queue_id = p.id {any 1}) IS NOT NULL
                  OR (SELECT g.id FROM {blocked_key} g WHERE g.partition_id = p.id ORDER BY g.partition_id, g.due_at {limit 1}) IS NOT NULL)
                ORDER BY p.application {limit 10}""");
        insertPartition =
                sql.of("INSERT INTO {partition} (application, destination, partition_no, owner) VALUES (?, ?, ?, ?)");
        waiting = sql.of(
                "SELECT q.seq FROM {queue q} {join message} WHERE m.application = ? AND m.destination = ? {any 1}");
        continueBackfill = sql.of("""
                UPDATE {control} SET backfill_partition = ?
                WHERE application = ? AND destination = ? AND backfill_partition IS NOT NULL""");
        String home =
                sql.of("FROM {partition} h WHERE h.application = m.application AND h.destination = m.destination");
        // A failed message of a key that was blocked holds its key in the partition, too.
        String isMisplaced = sql.with("home", home).with("delayed", DELAYED).of("""
                EXISTS (SELECT 1 FROM {message} m WHERE m.seq = q.seq AND m.application = ?
                  AND EXISTS (SELECT 1 {home} AND h.partition_no = m.partition_no AND h.id <> q.queue_id AND h.id <> -q.queue_id)
                  AND NOT EXISTS (SELECT 1 {home} AND h.partition_no = {delayed} AND h.id = q.queue_id)
                  AND NOT EXISTS (SELECT 1 FROM {blocked_key} b WHERE b.id = q.queue_id
                    AND b.partition_id IN (SELECT h.id {home} AND h.partition_no = m.partition_no)))""");
        misplaced = sql.of("SELECT q.seq FROM {queue q by queue_order} WHERE ") + isMisplaced + " ORDER BY q.seq";
        lock = sql.lockSkipLocked("q.seq", "queue q", isMisplaced + " AND q.seq IN (%s)");
        move = sql.with("delayed", DELAYED).of("""
                UPDATE {queue by key} SET queue_id = CASE WHEN queue_id < 0 THEN -1 ELSE 1 END * (
                  SELECT h.id FROM {message} m JOIN {partition} h
                    ON h.application = m.application AND h.destination = m.destination AND h.partition_no =
                      CASE WHEN {queue}.available_at IS NOT NULL AND (m.not_before IS NOT NULL OR m.message_key IS NULL)
                        THEN {delayed} ELSE m.partition_no END
                  WHERE m.seq = {queue}.seq)
                WHERE seq IN (%s)""");
    }

    /**
     * Creates the missing partitions, and reads the ids of all. Warns of other applications with messages in these
     * tables.
     */
    public void prepare(Connection connection, Set<String> destinations) throws SQLException {
        Map<String, Map<Integer, Integer>> present = read(connection);
        Map<String, Integer> counts = new TreeMap<>();
        present.forEach((destination, rows) -> counts.put(destination, Collections.max(rows.keySet())));
        for (String destination : destinations) {
            Integer count = counts.put(destination, config.partitions());
            if (count != null && count != config.partitions()) {
                // Another number of partitions would give keys another partition.
                throw OutboxCode.PARTITIONS_FIXED.exception(
                        config.partitions(), destination, config.application(), count - 1, partition);
            }
        }
        if (!missing(counts, present).isEmpty()) {
            repair(connection, counts);
        } else {
            known = ids(present);
        }
        List<String> strangers = otherApplications(connection);
        if (!strangers.isEmpty()) {
            LOG.warning(OutboxCode.OTHER_APPLICATIONS.text(
                    config.tablePrefix() + "message", String.join(", ", strangers), config.application()));
        }
    }

    /**
     * The partition of a message: the same one for a key on every node; by the message id without a key. A destination
     * that was configured in the past may have another number of partitions.
     */
    public int number(NewMessage message) {
        String key = message.event().key();
        Ids ids = known.get(message.destination());
        return message.context().originSequence() != null
                ? ids.count()
                : number(key == null ? message.id().toString() : key, ids.count());
    }

    public static int number(String key, int partitions) {
        CRC32 hash = new CRC32();
        hash.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % partitions);
    }

    /** The id of the partition for the copies of a backfill. */
    public int backfillId(String destination) {
        Ids ids = known.get(destination);
        return ids.of(ids.count());
    }

    /** The ids of the partitions by number, without the delayed messages. */
    public List<Integer> queueIds(String destination) {
        return known.get(destination).claimed();
    }

    public int queueId(String destination, int number) {
        return known.get(destination).of(number);
    }

    /** All destinations with partitions, also those of the past. */
    public Set<String> destinations() {
        return known.keySet();
    }

    /** The rows to insert: all of a new destination, or those that were deleted. */
    private static List<Place> missing(Map<String, Integer> counts, Map<String, Map<Integer, Integer>> present) {
        return counts.entrySet().stream()
                .flatMap(entry -> IntStream.rangeClosed(DELAYED, entry.getValue())
                        .filter(number ->
                                !present.getOrDefault(entry.getKey(), Map.of()).containsKey(number))
                        .mapToObj(number -> new Place(entry.getKey(), number)))
                .toList();
    }

    /** Other applications with messages in these tables: one index lookup per partition. */
    public List<String> otherApplications(Connection connection) throws SQLException {
        return JdbcStatement.of(connection, otherApplications, config.application())
                .list(row -> row.getString(1));
    }

    private Map<String, Map<Integer, Integer>> read(Connection connection) throws SQLException {
        Map<String, Map<Integer, Integer>> rows = new HashMap<>();
        JdbcStatement.of(connection, partitions, config.application())
                .forEach(row -> rows.computeIfAbsent(row.getString(1), destination -> new TreeMap<>())
                        .put(row.getInt(2), row.getInt(3)));
        return rows;
    }

    private static Map<String, Ids> ids(Map<String, Map<Integer, Integer>> rows) {
        Map<String, Ids> ids = new HashMap<>();
        rows.forEach((destination, byNumber) -> ids.put(destination, new Ids(List.copyOf(byNumber.values()))));
        return ids;
    }

    /**
     * Inserts the rows that this node knows and that are missing, and moves the messages that wait elsewhere. Takes over
     * the ids of rows that another node has inserted.
     *
     * @param found the ids in the table by destination and number
     * @param unowned the destinations of messages in queues that no row owns
     * @return whether there was something to do
     */
    public boolean repair(Connection connection, Map<String, Map<Integer, Integer>> found, Set<String> unowned)
            throws SQLException {
        Map<String, Ids> before = known;
        boolean same = ids(found).entrySet().containsAll(before.entrySet());
        if (same && Collections.disjoint(unowned, before.keySet())) {
            return false;
        }
        Map<String, Integer> counts = new TreeMap<>();
        before.forEach((destination, ids) -> counts.put(destination, ids.count()));
        repair(connection, counts);
        return true;
    }

    /**
     * Repeats the repair after another node has inserted rows at the same moment, or if the database has chosen this
     * transaction as the victim of their deadlock.
     *
     * @param counts the number of partitions by destination
     */
    private void repair(Connection connection, Map<String, Integer> counts) throws SQLException {
        Map<String, Ids> before = known;
        for (int attempt = 1; ; attempt++) {
            Map<String, Map<Integer, Integer>> present = read(connection);
            List<Place> missing = missing(counts, present);
            try {
                int moved = insertAndMove(connection, counts.keySet(), missing);
                // A destination without any row is a new one, unless messages waited for it.
                boolean deleted = missing.stream()
                        .anyMatch(place ->
                                present.containsKey(place.destination) || before.containsKey(place.destination));
                if (deleted || moved > 0) {
                    LOG.warning(OutboxCode.PARTITIONS_PUT_BACK.text(config.tablePrefix(), missing.size(), moved));
                }
                return;
            } catch (SQLException e) {
                boolean isChanged = !missing(counts, read(connection)).equals(missing);
                if (!isChanged && (!isRollback(e) || attempt == MAX_ATTEMPTS)) {
                    throw e;
                }
            }
        }
    }

    /**
     * In one transaction: no claim may see a partition before its older messages are in it, since later ones of their
     * keys would overtake them.
     *
     * @return the number of moved messages
     */
    private int insertAndMove(Connection connection, Set<String> destinations, List<Place> missing)
            throws SQLException {
        connection.setAutoCommit(false);
        try {
            insert(connection, missing);
            Map<String, Ids> ids = ids(read(connection));
            ids.keySet().retainAll(destinations);
            continueBackfills(connection, missing, ids);
            int moved = move(connection);
            connection.commit();
            known = ids;
            return moved;
        } catch (SQLException | RuntimeException | Error e) {
            // Also after an OutOfMemoryError, since the auto-commit would commit a part.
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /** A backfill whose copies got another partition would seem to have sent them all. */
    private void continueBackfills(Connection connection, List<Place> missing, Map<String, Ids> ids)
            throws SQLException {
        for (Place place : missing) {
            Ids ofDestination = ids.get(place.destination);
            if (place.number == ofDestination.count()) {
                int id = ofDestination.of(place.number);
                JdbcStatement.of(connection, continueBackfill, id, config.application(), place.destination)
                        .update();
            }
        }
    }

    private void insert(Connection connection, List<Place> missing) throws SQLException {
        if (missing.isEmpty()) {
            return;
        }
        try (PreparedStatement insert = connection.prepareStatement(insertPartition)) {
            for (Place place : missing) {
                insert.setString(1, config.application());
                insert.setString(2, place.destination);
                insert.setInt(3, place.number);
                insert.setString(4, place.number == DELAYED ? holder(connection, place.destination) : null);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** A batch that is not settled has rows in the queue, and a destination that is new has none. */
    private String holder(Connection connection, String destination) throws SQLException {
        Long waits = JdbcStatement.of(connection, waiting, config.application(), destination)
                .number();
        return waits == null ? null : HolderToken.UNKNOWN.text();
    }

    /**
     * Moves the waiting messages that are in no queue of their partition. Leaves rows that other transactions lock: a
     * delivery settles them, or the next check moves them.
     */
    private int move(Connection connection) throws SQLException {
        List<Long> found =
                JdbcStatement.of(connection, misplaced, config.application()).numbers();
        int moved = 0;
        for (int from = 0; from < found.size(); from += BATCH_SIZE) {
            List<Long> batch = found.subList(from, Math.min(found.size(), from + BATCH_SIZE));
            List<Long> free = JdbcStatement.of(connection, lock, config.application(), batch)
                    .numbers();
            moved += free.isEmpty()
                    ? 0
                    : JdbcStatement.of(connection, move, free).update();
        }
        return moved;
    }

    /** Db2 reports a failure within a batch without its state, which the next exception has. */
    private static boolean isRollback(SQLException e) {
        for (SQLException one = e; one != null; one = one.getNextException()) {
            if (String.valueOf(one.getSQLState()).startsWith(TRANSACTION_ROLLBACK)) {
                return true;
            }
        }
        return false;
    }

    /** The row of a partition. */
    private record Place(String destination, int number) {}
}

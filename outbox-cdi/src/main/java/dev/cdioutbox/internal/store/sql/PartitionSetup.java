package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.logging.Logger;
import java.util.stream.IntStream;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.store.HolderToken;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * The rows of the partitions. Inserts those of new destinations at the start. If rows were deleted, puts them back under new
 * ids, and moves the messages that wait under the old ones.
 */
public final class PartitionSetup {
    /** The class of SQL states. */
    private static final String TRANSACTION_ROLLBACK = "40";

    /** In attempts: more than the nodes that start at the same moment. */
    private static final int MAX_ATTEMPTS = 20;

    private static final Logger LOG = Logger.getLogger(PartitionSetup.class.getName());

    private final StoreConfig config;
    private final String partition;
    private final String partitions;
    private final String otherApplications;
    private final String insertPartition;
    private final String waiting;
    private final String continueBackfill;
    private final MisplacedMessages misplaced;

    private final PartitionIds ids = new PartitionIds();

    public PartitionSetup(StoreConfig config, Dialect dialect) {
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
        misplaced = new MisplacedMessages(config.application(), sql);
    }

    /** What this node knows of the rows. */
    public PartitionIds ids() {
        return ids;
    }

    /**
     * Inserts the missing rows, and learns the ids of all. Warns of other applications with messages in these tables.
     */
    public void prepare(Connection connection, Set<String> destinations) throws SQLException {
        Map<String, SortedMap<Integer, Long>> present = read(connection);
        Map<String, Integer> counts = counts(present);
        for (String destination : destinations) {
            Integer count = counts.put(destination, config.partitions());
            if (count != null && count != config.partitions()) {
                // Another number of partitions would give keys another partition.
                throw OutboxCode.PARTITIONS_FIXED.exception(
                        config.partitions(), destination, config.application(), count - 1, partition);
            }
        }
        if (missing(counts, present).isEmpty()) {
            ids.learn(present);
        } else {
            putBack(connection, counts);
        }
        List<String> strangers = otherApplications(connection);
        if (!strangers.isEmpty()) {
            LOG.warning(OutboxCode.OTHER_APPLICATIONS.text(
                    config.tablePrefix() + "message", String.join(", ", strangers), config.application()));
        }
    }

    /** Other applications with messages in these tables: one index lookup per partition. */
    public List<String> otherApplications(Connection connection) throws SQLException {
        return JdbcStatement.of(connection, otherApplications, config.application())
                .list(row -> row.getString(1));
    }

    /**
     * Puts back the rows that this node knows and that are missing, and moves the messages that wait elsewhere. Learns the ids
     * of rows that another node has put back.
     *
     * @param found the ids in the table by destination and number
     * @param unowned the destinations of messages in queues that no row owns
     * @return whether there was something to do
     */
    public boolean putBack(Connection connection, Map<String, SortedMap<Integer, Long>> found, Set<String> unowned)
            throws SQLException {
        Map<String, SortedMap<Integer, Long>> known = ids.known();
        boolean isSame = found.entrySet().containsAll(known.entrySet());
        if (isSame && Collections.disjoint(unowned, known.keySet())) {
            return false;
        }
        putBack(connection, counts(known));
        return true;
    }

    /** The number of partitions for keys, by destination. */
    private static Map<String, Integer> counts(Map<String, SortedMap<Integer, Long>> ids) {
        Map<String, Integer> counts = new TreeMap<>();
        ids.forEach((destination, ofDestination) -> counts.put(destination, PartitionIds.count(ofDestination)));
        return counts;
    }

    /**
     * Repeats the attempt after another node has inserted rows at the same moment, or if the database has chosen this
     * transaction as the victim of their deadlock.
     *
     * @param counts the number of partitions by destination
     */
    private void putBack(Connection connection, Map<String, Integer> counts) throws SQLException {
        Set<String> before = ids.destinations();
        for (int attempt = 1; ; attempt++) {
            Map<String, SortedMap<Integer, Long>> present = read(connection);
            List<Place> missing = missing(counts, present);
            try {
                int moved = insertAndMove(connection, counts.keySet(), missing);
                // A destination without any row is a new one, unless messages waited for it.
                boolean wereDeleted = missing.stream()
                        .map(Place::destination)
                        .anyMatch(destination -> present.containsKey(destination) || before.contains(destination));
                if (wereDeleted || moved > 0) {
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

    private Map<String, SortedMap<Integer, Long>> read(Connection connection) throws SQLException {
        Map<String, SortedMap<Integer, Long>> rows = new HashMap<>();
        JdbcStatement.of(connection, partitions, config.application())
                .forEach(row -> rows.computeIfAbsent(row.getString(1), destination -> new TreeMap<>())
                        .put(row.getInt(2), row.getLong(3)));
        return rows;
    }

    /** The rows to insert: all of a new destination, or those that were deleted. */
    private static List<Place> missing(Map<String, Integer> counts, Map<String, SortedMap<Integer, Long>> present) {
        List<Place> missing = new ArrayList<>();
        counts.forEach((destination, count) -> {
            Set<Integer> numbers =
                    present.containsKey(destination) ? present.get(destination).keySet() : Set.of();
            IntStream.rangeClosed(PartitionIds.DELAYED, count)
                    .filter(number -> !numbers.contains(number))
                    .forEach(number -> missing.add(new Place(destination, number)));
        });
        return missing;
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
            Map<String, SortedMap<Integer, Long>> present = read(connection);
            present.keySet().retainAll(destinations);
            continueBackfills(connection, missing, present);
            int moved = misplaced.move(connection);
            connection.commit();
            ids.learn(present);
            return moved;
        } catch (SQLException | RuntimeException | Error e) {
            // Also after an OutOfMemoryError, since the auto-commit would commit a part.
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
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
                insert.setString(
                        4, place.number == PartitionIds.DELAYED ? holder(connection, place.destination) : null);
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

    /** A backfill whose copies got another partition would seem to have sent them all. */
    private void continueBackfills(
            Connection connection, List<Place> missing, Map<String, SortedMap<Integer, Long>> present)
            throws SQLException {
        for (Place place : missing) {
            SortedMap<Integer, Long> ofDestination = present.get(place.destination);
            if (place.number == PartitionIds.count(ofDestination)) {
                long id = ofDestination.get(place.number);
                JdbcStatement.of(connection, continueBackfill, id, config.application(), place.destination)
                        .update();
            }
        }
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

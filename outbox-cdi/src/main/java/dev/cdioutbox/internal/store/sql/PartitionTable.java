package dev.cdioutbox.internal.store.sql;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * The partitions of each destination: creates them at the start, knows their ids, and puts rows back that were deleted
 * while the application runs.
 */
public final class PartitionTable {
    /** The number of the partition that holds delayed messages. */
    public static final int DELAYED = -1;

    /**
     * In attempts. After {@code TRUNCATE … RESTART IDENTITY}, each attempt may meet one id that is in use.
     */
    private static final int MAX_ATTEMPTS = 5000;

    /** The class of SQL states. */
    private static final String CONSTRAINT_VIOLATION = "23";

    /** The class of SQL states. */
    private static final String TRANSACTION_ROLLBACK = "40";

    /** In attempts: more than the nodes that start at the same moment. */
    private static final int MAX_DEADLOCKS = 20;

    private static final Logger LOG = Logger.getLogger(PartitionTable.class.getName());

    private final StoreConfig config;
    private final String partition;
    private final String partitions;
    private final String otherApplications;
    private final String insertPartition;
    private final String used;
    /** Null where the database accepts no id. */
    private final String putBack;
    /** The ids of this application's partitions by number, beginning with {@link #DELAYED}. */
    private volatile Map<String, List<Integer>> idsByDestination = Map.of();

    public PartitionTable(StoreConfig config, Dialect dialect) {
        this.config = config;
        partition = config.tablePrefix() + "partition";
        partitions = "SELECT destination, partition_no, id FROM %s WHERE application = ?".formatted(partition);
        otherApplications = """
                SELECT DISTINCT p.application FROM %1$s p
                WHERE p.application <> ? AND ((SELECT 1 FROM %2$smessage m WHERE m.queue_id = p.id %5$s) IS NOT NULL
                  OR (SELECT g.id FROM %2$sblocked_key g WHERE g.partition_id = p.id ORDER BY g.partition_id, g.due_at %4$s) IS NOT NULL)
                ORDER BY p.application %3$s""".formatted(
                partition, config.tablePrefix(), dialect.limit("10"), dialect.limit("1"), dialect.limitUnordered("1"));
        insertPartition =
                "INSERT INTO %s (application, destination, partition_no) VALUES (?, ?, ?)".formatted(partition);
        used = """
                SELECT p.partition_no FROM %1$s p WHERE p.application = ? AND p.destination = ?
                  AND ((SELECT 1 FROM %2$smessage m WHERE %3$s %5$s) IS NOT NULL
                    OR (SELECT 1 FROM %2$smessage m WHERE %4$s %5$s) IS NOT NULL)""".formatted(
                        partition,
                        config.tablePrefix(),
                        dialect.isInQueue("m", "p.id"),
                        dialect.isInQueue("m", "-p.id"),
                        dialect.limitUnordered("1"));
        putBack = dialect.overridingIdentity()
                .map(overriding -> "INSERT INTO %s (id, application, destination, partition_no) %s VALUES (?, ?, ?, ?)"
                        .formatted(partition, overriding))
                .orElse(null);
    }

    /**
     * Creates the missing partitions, and reads the ids of all. Warns of other applications with messages in these
     * tables.
     */
    public void prepare(Connection connection, Set<String> destinations) throws SQLException {
        Map<String, Map<Integer, Integer>> present = read(connection);
        for (String destination : destinations) {
            present.putIfAbsent(destination, Map.of());
        }
        for (Map.Entry<String, Map<Integer, Integer>> rows : present.entrySet()) {
            String destination = rows.getKey();
            int count = destinations.contains(destination)
                    ? config.partitions()
                    : count(rows.getValue().keySet());
            create(connection, destination, missing(rows.getValue().keySet(), destination, count), count);
        }
        idsByDestination = ids(read(connection));
        List<String> strangers = otherApplications(connection);
        if (!strangers.isEmpty()) {
            LOG.warning(Problem.OTHER_APPLICATIONS.text(
                    config.tablePrefix() + "message", String.join(", ", strangers), config.application()));
        }
    }

    /**
     * The partition of a message: the same one for a key on every node; by the message id without a key. A destination
     * that was configured in the past may have another number of partitions.
     */
    public int number(NewMessage message) {
        String key = message.event().key();
        int count = idsByDestination.get(message.destination()).size() + DELAYED;
        return number(key == null ? message.id().toString() : key, count);
    }

    public static int number(String key, int partitions) {
        CRC32 hash = new CRC32();
        hash.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % partitions);
    }

    /** The ids of the partitions by number, without the delayed messages. */
    public List<Integer> queueIds(String destination) {
        return idsByDestination.get(destination).stream().skip(-DELAYED).toList();
    }

    public int queueId(String destination, int number) {
        return idsByDestination.get(destination).get(number - DELAYED);
    }

    /** All destinations with partitions, also those of the past. */
    public Set<String> destinations() {
        return idsByDestination.keySet();
    }

    /** The number of partitions, without the one of the delayed messages. */
    private static int count(Set<Integer> numbers) {
        return 1 + Collections.max(numbers);
    }

    /**
     * The numbers without a row: all of a new destination, or those whose rows were deleted.
     *
     * @param count the number of partitions
     * @throws dev.cdioutbox.OutboxException OBX-0306 if the highest number is not that of the last partition: another
     *     number of partitions would give keys another partition
     */
    private List<Integer> missing(Set<Integer> present, String destination, int count) {
        if (!present.isEmpty() && count(present) != count) {
            throw Problem.PARTITIONS_FIXED.exception(
                    count, destination, config.application(), count(present) - 1, partition);
        }
        return IntStream.range(DELAYED, count)
                .filter(number -> !present.contains(number))
                .boxed()
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

    private static Map<String, List<Integer>> ids(Map<String, Map<Integer, Integer>> rows) {
        Map<String, List<Integer>> ids = new HashMap<>();
        rows.forEach((destination, byNumber) -> ids.put(destination, List.copyOf(byNumber.values())));
        return ids;
    }

    /**
     * Compares the rows with what this node knows, and puts missing rows back under their ids: the messages that wait
     * have these ids. Takes over other ids, if another node has created the rows anew.
     *
     * @param found the ids in the table by destination and number
     * @return whether rows were missing
     */
    public boolean putBack(Connection connection, Map<String, Map<Integer, Integer>> found) throws SQLException {
        Map<String, Map<Integer, Integer>> missing = new TreeMap<>();
        boolean differ = false;
        for (Map.Entry<String, List<Integer>> known : idsByDestination.entrySet()) {
            Map<Integer, Integer> rows = found.getOrDefault(known.getKey(), Map.of());
            for (int i = 0; i < known.getValue().size(); i++) {
                int number = i + DELAYED;
                Integer id = known.getValue().get(i);
                if (!rows.containsKey(number)) {
                    missing.computeIfAbsent(known.getKey(), destination -> new TreeMap<>())
                            .put(number, id);
                }
                differ |= !id.equals(rows.get(number));
            }
        }
        for (Map.Entry<String, Map<Integer, Integer>> rows : missing.entrySet()) {
            putBack(connection, rows.getKey(), rows.getValue());
        }
        if (differ) {
            Map<String, List<Integer>> now = new HashMap<>(idsByDestination);
            now.putAll(ids(read(connection)));
            idsByDestination = now;
        }
        return !missing.isEmpty();
    }

    private void putBack(Connection connection, String destination, Map<Integer, Integer> missing) throws SQLException {
        if (putBack != null
                && inTransaction(
                        connection,
                        putBack,
                        (insert, number) -> {
                            insert.setInt(1, missing.get(number));
                            bind(insert, 2, destination, number);
                        },
                        missing.keySet(),
                        () -> true)) {
            LOG.warning(Problem.PARTITIONS_PUT_BACK.text(missing.size(), destination, partition, "under their ids"));
            return;
        }
        // The database accepts no id, or another row has one of the ids by now.
        List<Integer> still = new ArrayList<>(missing.keySet());
        still.removeAll(read(connection).getOrDefault(destination, Map.of()).keySet());
        if (!still.isEmpty()) {
            create(
                    connection,
                    destination,
                    still,
                    idsByDestination.get(destination).size() + DELAYED);
        }
    }

    /**
     * Creates all partitions in one transaction, so that a destination has all of them or none. Messages may wait under
     * the id of a row that was deleted: none of them may get into a partition of another destination, so the ids are
     * drawn until they are new.
     *
     * @param count the number of partitions of the destination
     */
    private void create(Connection connection, String destination, List<Integer> numbers, int count)
            throws SQLException {
        List<Integer> missing = numbers;
        for (int attempt = 1; !missing.isEmpty(); attempt++) {
            boolean created = inTransaction(
                    connection,
                    insertPartition,
                    (insert, number) -> bind(insert, 1, destination, number),
                    missing,
                    () -> Collections.disjoint(
                            numbers,
                            JdbcStatement.of(connection, used, config.application(), destination)
                                    .list(row -> row.getInt(1))));
            if (created && missing.size() <= count) {
                LOG.warning(Problem.PARTITIONS_PUT_BACK.text(missing.size(), destination, partition, "under new ids"));
            }
            // Another node may create them at the same moment.
            missing =
                    missing(read(connection).getOrDefault(destination, Map.of()).keySet(), destination, count);
            if (attempt == MAX_ATTEMPTS) {
                throw new SQLException("no new ids for the rows of " + partition);
            }
        }
    }

    private void bind(PreparedStatement insert, int first, String destination, int number) throws SQLException {
        insert.setString(first, config.application());
        insert.setString(first + 1, destination);
        insert.setInt(first + 2, number);
    }

    /**
     * Inserts a row for each number, all or none. Repeats this if the database has chosen the transaction as the victim
     * of a deadlock with another node, which inserts the same rows.
     *
     * @param condition whether to commit
     * @return whether the rows are there; false after a violation of a unique key, too
     */
    private static boolean inTransaction(
            Connection connection, String statement, Binding binding, Collection<Integer> numbers, Condition condition)
            throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                return insert(connection, statement, binding, numbers, condition);
            } catch (SQLException e) {
                String state = String.valueOf(e.getSQLState());
                if (state.startsWith(CONSTRAINT_VIOLATION)) {
                    return false;
                }
                if (!state.startsWith(TRANSACTION_ROLLBACK) || attempt == MAX_DEADLOCKS) {
                    throw e;
                }
            }
        }
    }

    private static boolean insert(
            Connection connection, String statement, Binding binding, Collection<Integer> numbers, Condition condition)
            throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement(statement)) {
            for (int number : numbers) {
                binding.bind(insert, number);
                insert.addBatch();
            }
            insert.executeBatch();
            if (condition.holds()) {
                connection.commit();
                return true;
            }
            connection.rollback();
            return false;
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private interface Binding {
        void bind(PreparedStatement insert, int number) throws SQLException;
    }

    private interface Condition {
        boolean holds() throws SQLException;
    }
}

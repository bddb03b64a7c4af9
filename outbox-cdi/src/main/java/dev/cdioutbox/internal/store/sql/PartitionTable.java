package dev.cdioutbox.internal.store.sql;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Logger;
import java.util.zip.CRC32;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.dialect.Dialect;

/** The partitions of each destination: creates them at the start, and knows their ids. */
public final class PartitionTable {
    /** The number of the partition that holds delayed messages. */
    public static final int DELAYED = -1;

    private static final Logger LOG = Logger.getLogger(PartitionTable.class.getName());

    private final StoreConfig config;
    private final String partitions;
    private final String otherApplications;
    private final String insertPartition;
    /** The ids of this application's partitions by number, beginning with {@link #DELAYED}. */
    private volatile Map<String, List<Integer>> idsByDestination = Map.of();

    public PartitionTable(StoreConfig config, Dialect dialect) {
        this.config = config;
        String partition = config.tablePrefix() + "partition";
        partitions = "SELECT destination, id FROM %s WHERE application = ? ORDER BY destination, partition_no"
                .formatted(partition);
        otherApplications = """
                SELECT DISTINCT p.application FROM %1$s p
                WHERE p.application <> ? AND ((SELECT 1 FROM %2$smessage m WHERE m.queue_id = p.id %5$s) IS NOT NULL
                  OR (SELECT g.id FROM %2$sblocked_key g WHERE g.partition_id = p.id ORDER BY g.partition_id, g.due_at %4$s) IS NOT NULL)
                ORDER BY p.application %3$s""".formatted(
                partition, config.tablePrefix(), dialect.limit("10"), dialect.limit("1"), dialect.limitUnordered("1"));
        insertPartition =
                "INSERT INTO %s (application, destination, partition_no) VALUES (?, ?, ?)".formatted(partition);
    }

    /**
     * Creates the missing partitions, and reads the ids of all. Warns of other applications with messages in these
     * tables.
     */
    public void prepare(Connection connection, Set<String> destinations) throws SQLException {
        Map<String, List<Integer>> present = read(connection);
        check(present, destinations);
        for (String destination : destinations) {
            if (!present.containsKey(destination)) {
                create(connection, destination);
            }
        }
        idsByDestination = read(connection);
        check(idsByDestination, destinations);
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
        int count = count(idsByDestination.get(message.destination()));
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

    /** The number of partitions, without the one of the delayed messages. */
    private static int count(List<Integer> ids) {
        return ids.size() - 1;
    }

    private void check(Map<String, List<Integer>> ids, Set<String> destinations) {
        for (String destination : destinations) {
            int present = ids.containsKey(destination) ? count(ids.get(destination)) : config.partitions();
            if (present != config.partitions()) {
                throw Problem.PARTITIONS_FIXED.exception(
                        config.partitions(), destination, config.application(), present);
            }
        }
    }

    /** Other applications with messages in these tables: one index lookup per partition. */
    public List<String> otherApplications(Connection connection) throws SQLException {
        return JdbcStatement.of(connection, otherApplications, config.application())
                .list(row -> row.getString(1));
    }

    private Map<String, List<Integer>> read(Connection connection) throws SQLException {
        Map<String, List<Integer>> ids = new HashMap<>();
        JdbcStatement.of(connection, partitions, config.application())
                .forEach(row -> ids.computeIfAbsent(row.getString(1), destination -> new ArrayList<>())
                        .add(row.getInt(2)));
        return ids;
    }

    /** Creates all partitions in one transaction, so that a destination has all of them or none. */
    private void create(Connection connection, String destination) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement(insertPartition)) {
            for (int number = DELAYED; number < config.partitions(); number++) {
                insert.setString(1, config.application());
                insert.setString(2, destination);
                insert.setInt(3, number);
                insert.addBatch();
            }
            insert.executeBatch();
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            if (!read(connection).containsKey(destination)) {
                throw e;
            }
            // Another node created them at the same moment.
        } finally {
            connection.setAutoCommit(true);
        }
    }
}

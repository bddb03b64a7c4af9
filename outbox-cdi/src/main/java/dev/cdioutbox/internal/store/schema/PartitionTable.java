package dev.cdioutbox.internal.store.schema;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.OutboxStatements;
import dev.cdioutbox.internal.store.sql.PartitionIds;

/** Creates the partitions of each destination, and reads their ids. */
public final class PartitionTable {
    private static final Logger LOG = Logger.getLogger(PartitionTable.class.getName());

    private final StoreConfig config;
    private final OutboxStatements sql;

    public PartitionTable(StoreConfig config, OutboxStatements sql) {
        this.config = config;
        this.sql = sql;
    }

    public PartitionIds prepare(Connection connection, Set<String> destinations) throws SQLException {
        Map<String, TreeMap<Integer, Integer>> found = read(connection);
        for (String destination : destinations) {
            SortedMap<Integer, Integer> ids =
                    found.getOrDefault(destination, new TreeMap<>()).tailMap(0);
            if (ids.size() > config.partitions() || (!ids.isEmpty() && ids.lastKey() >= config.partitions())) {
                throw Problem.PARTITIONS_FIXED.exception(
                        config.partitions(), destination, config.application(), ids.size());
            }
            if (ids.size() < config.partitions()) {
                create(connection, destination, ids);
            }
        }
        Map<String, int[]> ids = new HashMap<>();
        read(connection)
                .forEach((destination, byNumber) -> ids.put(
                        destination,
                        byNumber.values().stream().mapToInt(Integer::intValue).toArray()));
        return new PartitionIds(ids);
    }

    public void warnOfOtherApplications(Connection connection) throws SQLException {
        List<String> strangers = otherApplications(connection);
        if (!strangers.isEmpty()) {
            LOG.warning(Problem.OTHER_APPLICATIONS.text(
                    config.tablePrefix() + "message", String.join(", ", strangers), config.application()));
        }
    }

    /** Other applications with messages in these tables: one index lookup per partition. */
    public List<String> otherApplications(Connection connection) throws SQLException {
        return JdbcStatement.of(connection, sql.otherApplications, config.application())
                .list(row -> row.getString(1));
    }

    private Map<String, TreeMap<Integer, Integer>> read(Connection connection) throws SQLException {
        Map<String, TreeMap<Integer, Integer>> found = new HashMap<>();
        JdbcStatement.of(connection, sql.partitions, config.application())
                .forEach(row -> found.computeIfAbsent(row.getString(1), d -> new TreeMap<>())
                        .put(row.getInt(2), row.getInt(3)));
        return found;
    }

    /**
     * Creates all partitions in one transaction. So a destination with a part of them has another number of partitions.
     */
    private void create(Connection connection, String destination, SortedMap<Integer, Integer> present)
            throws SQLException {
        if (!present.isEmpty()) {
            throw Problem.PARTITIONS_FIXED.exception(
                    config.partitions(), destination, config.application(), present.size());
        }
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement(sql.insertPartition)) {
            for (int number = PartitionIds.DELAYED; number < config.partitions(); number++) {
                insert.setString(1, config.application());
                insert.setString(2, destination);
                insert.setInt(3, number);
                insert.addBatch();
            }
            insert.executeBatch();
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            if (!isComplete(connection, destination)) {
                throw e;
            }
            // Another node created them at the same moment.
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private boolean isComplete(Connection connection, String destination) throws SQLException {
        return read(connection).getOrDefault(destination, new TreeMap<>()).size() == config.partitions() + 1;
    }
}

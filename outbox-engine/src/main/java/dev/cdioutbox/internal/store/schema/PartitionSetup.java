package dev.cdioutbox.internal.store.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.store.FencingToken;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * The rows of the partitions of the configured destinations. Inserts those that are missing, because a destination is new or
 * because somebody has deleted them. Messages that wait there need nothing more, since the ids are {@linkplain QueueId
 * computed}.
 */
public final class PartitionSetup {
    /** In attempts: more than the nodes that start at the same moment. */
    private static final int MAX_ATTEMPTS = 20;

    private static final Logger LOG = Logger.getLogger(PartitionSetup.class.getName());

    private final StoreConfig config;
    private final Set<String> destinations;
    private final Map<Long, Row> expected;
    private final String partition;
    private final String rows;
    private final String counts;
    private final String otherApplications;
    private final String insertPartition;
    private final String waiting;

    public PartitionSetup(StoreConfig config, Dialect dialect, Set<String> destinations) {
        this.config = config;
        this.destinations = new TreeSet<>(destinations);
        expected = new HashMap<>();
        this.destinations.forEach(name -> PartitionIds.numbers(config.partitions())
                .forEach(number -> expected.put(id(name, number), new Row(name, config.partitions()))));
        Sql sql = new Sql(config.tablePrefix(), dialect);
        partition = sql.of("{partition}");
        rows = sql.of(
                "SELECT id, application, destination, partition_count FROM {partition} WHERE id BETWEEN :first AND :last");
        counts = sql.of(
                "SELECT DISTINCT destination, partition_count FROM {partition} WHERE application = :application");
        otherApplications = sql.of("""
                SELECT DISTINCT p.application FROM {partition} p
                WHERE p.application <> :application AND ((SELECT 1 FROM {queue} q WHERE q.queue_id = p.id FETCH FIRST 1 ROWS ONLY) IS NOT NULL
                  OR (SELECT g.id FROM {blocked_key} g WHERE g.partition_id = p.id ORDER BY g.partition_id, g.due_at FETCH FIRST 1 ROWS ONLY) IS NOT NULL)
                ORDER BY p.application FETCH FIRST 10 ROWS ONLY""");
        insertPartition = sql.of("""
                INSERT INTO {partition} (id, application, destination, partition_no, partition_count, fencing_token)
                VALUES (:id, :application, :destination, :number, :count, :token)""");
        waiting = sql.of("""
                SELECT q.seq FROM {queue} q LEFT JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = q.seq
                WHERE m.application = :application AND m.destination = :destination FETCH FIRST 1 ROWS ONLY""");
    }

    private long id(String destination, int number) {
        return QueueId.of(config.application(), destination, number).value();
    }

    /**
     * Inserts the missing rows. Warns of other applications with messages in these tables.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0306 or OBX-0355
     */
    public PartitionIds prepare(Connection connection) throws SQLException {
        insertMissing(connection);
        List<String> strangers = otherApplications(connection);
        if (!strangers.isEmpty()) {
            LOG.warning(OutboxCode.OTHER_APPLICATIONS.text(
                    config.tablePrefix() + "message", String.join(", ", strangers), config.application()));
        }
        Map<String, Integer> found = new HashMap<>();
        JdbcStatement.of(connection, counts)
                .set("application", config.application())
                .forEach(row -> found.put(row.getString(1), row.getInt(2)));
        return new PartitionIds(config.application(), config.partitions(), found);
    }

    /** Other applications with messages in these tables: one index lookup per partition. */
    public List<String> otherApplications(Connection connection) throws SQLException {
        return JdbcStatement.of(connection, otherApplications)
                .set("application", config.application())
                .list(row -> row.getString(1));
    }

    /**
     * Whether all rows are there.
     *
     * @param found the rows of this application by id
     */
    public boolean isComplete(Map<Long, Row> found) {
        return found.entrySet().containsAll(expected.entrySet());
    }

    /**
     * Inserts the missing rows, and reads them back. Repeats the attempt, since another node may insert rows at the same
     * moment, or the database may choose this transaction as the victim of their deadlock.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0306 if a destination has another number of partitions; OBX-0355 if another
     *     destination has its hash
     */
    public void insertMissing(Connection connection) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            List<Place> missing = missing(connection);
            if (missing.isEmpty()) {
                return;
            }
            try {
                insert(connection, missing);
            } catch (SQLException e) {
                if (attempt == MAX_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private List<Place> missing(Connection connection) throws SQLException {
        List<Place> missing = new ArrayList<>();
        for (String destination : destinations) {
            Set<Long> present = present(connection, destination);
            PartitionIds.numbers(config.partitions())
                    .filter(number -> !present.contains(id(destination, number)))
                    .forEach(number -> missing.add(new Place(destination, number, !present.isEmpty())));
        }
        return missing;
    }

    private Set<Long> present(Connection connection, String destination) throws SQLException {
        Set<Long> present = new HashSet<>();
        JdbcStatement.of(connection, rows)
                .set("first", id(destination, PartitionIds.BACKFILL))
                .set("last", id(destination, PartitionIds.FENCING_TOKEN))
                .forEach(row -> {
                    String application = row.getString(2);
                    String owner = row.getString(3);
                    if (!application.equals(config.application()) || !owner.equals(destination)) {
                        throw OutboxCode.SAME_HASH.exception(
                                destination, config.application(), owner, application, partition);
                    }
                    int count = row.getInt(4);
                    if (count != config.partitions()) {
                        // Another number of partitions would give keys another partition.
                        throw OutboxCode.PARTITIONS_FIXED.exception(
                                config.partitions(), destination, config.application(), count);
                    }
                    present.add(row.getLong(1));
                });
        return present;
    }

    private void insert(Connection connection, List<Place> missing) throws SQLException {
        connection.setAutoCommit(false);
        try {
            boolean wereDeleted = false;
            JdbcStatement insert = JdbcStatement.of(connection, insertPartition);
            for (Place place : missing) {
                String token = place.number == PartitionIds.FENCING_TOKEN ? token(connection, place.destination) : null;
                // A destination without any row is a new one, unless messages waited for it.
                wereDeleted |= place.hasOthers || token != null;
                insert.set("id", id(place.destination, place.number))
                        .set("application", config.application())
                        .set("destination", place.destination)
                        .set("number", place.number)
                        .set("count", config.partitions())
                        .set("token", token)
                        .addBatch();
            }
            insert.updateBatch();
            connection.commit();
            if (wereDeleted) {
                LOG.warning(OutboxCode.PARTITIONS_PUT_BACK.text(partition, missing.size()));
            }
        } catch (SQLException | RuntimeException | Error e) {
            // Also after an OutOfMemoryError, since the auto-commit would commit a part.
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /** A batch that is not settled has rows in the queue, and a destination that is new has none. */
    private String token(Connection connection, String destination) throws SQLException {
        Long waits = JdbcStatement.of(connection, waiting)
                .set("application", config.application())
                .set("destination", destination)
                .number();
        return waits == null ? null : FencingToken.UNKNOWN.text();
    }

    /**
     * A row.
     *
     * @param count how many partitions the destination has for keys
     */
    public record Row(String destination, int count) {}

    /**
     * A missing row.
     *
     * @param hasOthers whether the destination has rows
     */
    private record Place(String destination, int number, boolean hasOthers) {}
}

package dev.cdioutbox.internal.store.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.operate.ControlTable;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxOperations;

/**
 * The periodic check of the tables: their shape, whether the database accepts changes, and the rows without which no
 * message is sent. Puts rows of partitions and controls back that were deleted, for example by a table cleaner between
 * tests. Reports messages in the queue of a blocked key whose row was deleted: no claim reads it.
 */
public final class TableCheck {
    private static final Logger LOG = Logger.getLogger(TableCheck.class.getName());

    /** In seconds. A health check may wait for the statement. */
    private static final int TIMEOUT_SECONDS = 10;

    /** One statement, since the timer repeats it for ever. */
    private static final String CHECK = """
            SELECT 'partition' AS kind, p.destination AS destination, p.partition_count AS detail, p.id AS id FROM {partition} p
              WHERE p.application = :application
            UNION ALL SELECT 'control', c.destination, c.paused, 0 FROM {control} c WHERE c.application = :application
            UNION ALL SELECT 'lost', u.destination, 0, COUNT(*) FROM ({lost}) u GROUP BY u.destination
            UNION ALL {no rows}{read-only}""";

    /**
     * The destination and sequence of at most {@link OutboxBacklog#CAP} messages that wait where a blocked key has been. Looks
     * between the ids of the first thousand blocked keys and behind the last one only, so that the cost does not depend on the
     * number of messages: a read of all blocked keys would cost more than the rest of the check.
     */
    private static final String LOST = """
            SELECT /*+ JOIN_FIXED_ORDER() NO_BNL() */ m.destination, q.seq FROM ({gaps}) g
            JOIN {queue} q /*! FORCE INDEX ({index}queue_order) */ ON q.queue_id > g.first_id AND q.queue_id < g.next_id
            JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = q.seq
            WHERE g.next_id > g.first_id + 1 AND m.application = :application FETCH FIRST {cap} ROWS ONLY""";

    /** With an order, which only the index of the queues gives. */
    private static final String LOST_ON_POSTGRESQL = """
            SELECT u.destination, u.seq FROM ({gaps}) g CROSS JOIN LATERAL (
              SELECT m.destination, q.seq FROM {queue} q CROSS JOIN LATERAL (
                SELECT i.destination, i.application FROM {message} i WHERE i.seq = q.seq OFFSET 0) m
              WHERE q.queue_id > g.first_id AND q.queue_id < g.next_id AND m.application = :application
              ORDER BY q.queue_id, q.seq FETCH FIRST {cap} ROWS ONLY) u
            WHERE g.next_id > g.first_id + 1 FETCH FIRST {cap} ROWS ONLY""";

    private static final String GAPS = """
            SELECT COALESCE(LAG(i.id) OVER (ORDER BY i.id), :blocked) AS first_id, i.id AS next_id
            FROM (SELECT b.id FROM {blocked_key} b /*! FORCE INDEX (PRIMARY) */ ORDER BY b.id FETCH FIRST 1000 ROWS ONLY) i
            UNION ALL SELECT COALESCE(MAX(h.id), :blocked), COALESCE(MAX(h.id), :blocked) + :blocked FROM {blocked_key} h""";

    /** A condition that holds while the database refuses all changes. */
    private static final Map<Dialect, String> READ_ONLY = Map.of(
            SupportedDatabases.H2,
            "READONLY()",
            // A standby, or a database whose default is read-only.
            SupportedDatabases.POSTGRESQL,
            "current_setting('transaction_read_only') = 'on'",
            // A user with one of these rights may write in spite of the setting.
            SupportedDatabases.MARIADB,
            "@@global.read_only = 1 AND NOT EXISTS (SELECT 1 FROM information_schema.user_privileges"
                    + " WHERE privilege_type IN ('SUPER', 'READ_ONLY ADMIN', 'CONNECTION_ADMIN'))");

    private final Connections connections;
    private final String prefix;
    private final String application;
    private final SchemaShape shape;
    private final Set<String> destinations;
    private final PartitionSetup partitions;
    private final ControlTable control;
    private final String check;
    /** By the last check. */
    private volatile Set<String> paused = Set.of();

    /** The prefix of the tables while they have a problem. */
    private final Reported<String> reported = new Reported<>();

    public TableCheck(
            Connections connections, String application, Sql sql, Set<String> destinations, PartitionSetup partitions) {
        this.connections = connections;
        this.prefix = sql.prefix();
        this.application = application;
        this.shape = new SchemaShape(sql.prefix(), sql.dialect());
        this.destinations = destinations;
        this.partitions = partitions;
        this.control = new ControlTable(application, sql);
        Dialect dialect = sql.dialect();
        String isReadOnly = READ_ONLY.get(dialect);
        check = sql.with("cap", OutboxBacklog.CAP)
                .with("gaps", GAPS)
                .with("lost", dialect == SupportedDatabases.POSTGRESQL ? LOST_ON_POSTGRESQL : LOST)
                .with("no rows", shape.noRows("'', '', 0, 0"))
                .with(
                        "read-only",
                        isReadOnly == null
                                ? ""
                                : " UNION ALL SELECT 'readonly', '', 0, 0 FROM (SELECT 1 AS one) r WHERE " + isReadOnly)
                .of(CHECK);
    }

    /** @return the problem, or null */
    public String problem() {
        return connections.withConnection("looking at the tables", this::problem);
    }

    private String problem(Connection connection) throws SQLException {
        Rows rows;
        try {
            rows = read(connection);
            if (!rows.readOnly && putBack(connection, rows)) {
                rows = read(connection);
            }
        } catch (SQLException e) {
            List<String> missing = shape.missingColumns(connection);
            if (missing.isEmpty()) {
                throw e;
            }
            return shape.unusable(missing);
        } catch (OutboxException e) {
            return report(e.getMessage());
        }
        paused = rows.paused;
        if (rows.readOnly) {
            return OutboxCode.DATABASE_READ_ONLY.text();
        }
        return report(rows.lost.isEmpty() ? null : OutboxCode.UNOWNED_MESSAGES.text(rows.lost, prefix));
    }

    private boolean putBack(Connection connection, Rows rows) throws SQLException {
        boolean isComplete = partitions.isComplete(rows.partitions);
        if (!isComplete) {
            partitions.insertMissing(connection);
        }
        Set<String> gone = new TreeSet<>(destinations);
        gone.add(OutboxOperations.ALL);
        gone.removeAll(rows.controls);
        for (String destination : gone) {
            control.putBack(connection, destination, paused.contains(destination));
        }
        return !isComplete || !gone.isEmpty();
    }

    /** Logs the first of several findings of a problem. */
    private String report(String problem) {
        if (problem == null) {
            reported.end(prefix);
        } else if (reported.begin(prefix)) {
            LOG.warning(problem);
        }
        return problem;
    }

    private Rows read(Connection connection) throws SQLException {
        Rows rows = new Rows();
        JdbcStatement.of(connection, check)
                .set("application", application)
                .set("blocked", QueueId.BLOCKED_KEYS)
                .within(TIMEOUT_SECONDS)
                .forEach(row -> {
                    String destination = row.getString("destination");
                    switch (row.getString("kind")) {
                        case "partition" ->
                            rows.partitions.put(
                                    row.getLong("id"), new PartitionSetup.Row(destination, row.getInt("detail")));
                        case "control" -> {
                            rows.controls.add(destination);
                            if (row.getInt("detail") == 1) {
                                rows.paused.add(destination);
                            }
                        }
                        case "lost" -> rows.lost.put(destination, row.getLong("id"));
                        default -> rows.readOnly = true;
                    }
                });
        return rows;
    }

    private static final class Rows {
        private final Map<Long, PartitionSetup.Row> partitions = new HashMap<>();
        private final Set<String> controls = new HashSet<>();
        private final Set<String> paused = new HashSet<>();
        private final Map<String, Long> lost = new TreeMap<>();
        private boolean readOnly;
    }
}

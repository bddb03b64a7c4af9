package dev.cdioutbox.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.admin.ControlTable;
import dev.cdioutbox.internal.store.backlog.UnownedMessages;
import dev.cdioutbox.internal.store.schema.SchemaShape;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionSetup;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;
import dev.cdioutbox.operate.OutboxOperations;

/**
 * The periodic check of the tables: their shape, whether the database accepts changes, and the rows without which no
 * message is sent. Puts rows of partitions and controls back that were deleted, for example by a table cleaner between
 * tests. Reports messages that still wait in queues that no row owns.
 */
final class TableCheck {
    private static final Logger LOG = Logger.getLogger(TableCheck.class.getName());

    /** In seconds. A health check may wait for the statement. */
    private static final int TIMEOUT_SECONDS = 10;

    private final Connections connections;
    private final String prefix;
    private final String application;
    private final SchemaShape shape;
    private final PartitionSetup partitions;
    private final ControlTable control;
    private final ReadWatermark watermark;
    /** One statement, since the timer repeats it for ever. */
    private final String check;
    /** By the last check. */
    private volatile Set<String> paused = Set.of();

    private volatile boolean reported;

    TableCheck(
            Connections connections, String application, Sql sql, PartitionSetup partitions, ReadWatermark watermark) {
        this.connections = connections;
        this.prefix = sql.prefix();
        this.application = application;
        this.shape = new SchemaShape(sql.prefix(), sql.dialect());
        this.partitions = partitions;
        this.control = new ControlTable(application, sql.prefix(), sql.dialect());
        this.watermark = watermark;
        check = sql.with("unowned", UnownedMessages.select(sql))
                .with("noRows", shape.noRows("'', '', 0, 0"))
                .with(
                        "readOnly",
                        sql.dialect()
                                .isReadOnly()
                                .map(isReadOnly ->
                                        " UNION ALL SELECT 'readonly', '', 0, 0 FROM (SELECT 1 AS one) r WHERE "
                                                + isReadOnly)
                                .orElse(""))
                .of("""
                SELECT 'partition' AS kind, p.destination AS destination, p.partition_no AS detail, p.id AS id FROM {partition} p
                  WHERE p.application = :application
                UNION ALL SELECT 'control', c.destination, c.paused, 0 FROM {control} c WHERE c.application = :application
                UNION ALL SELECT 'unowned', u.destination, 0, COUNT(*) FROM ({unowned}) u
                  WHERE u.status <> {ABANDONED} GROUP BY u.destination
                UNION ALL {noRows}{readOnly}""");
    }

    /** @return the problem, or null */
    String problem() {
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
        }
        paused = rows.paused;
        if (rows.readOnly) {
            return OutboxCode.DATABASE_READ_ONLY.text();
        }
        return report(rows.unowned);
    }

    private boolean putBack(Connection connection, Rows rows) throws SQLException {
        boolean changed = partitions.putBack(connection, rows.partitions, rows.unowned.keySet());
        if (changed) {
            // The messages may be below the watermarks of their partitions.
            watermark.querySoon();
        }
        Set<String> gone = new TreeSet<>(partitions.ids().destinations());
        gone.add(OutboxOperations.ALL);
        gone.removeAll(rows.controls);
        for (String destination : gone) {
            control.putBack(connection, destination, paused.contains(destination));
        }
        return changed || !gone.isEmpty();
    }

    private String report(Map<String, Long> unowned) {
        String problem = unowned.isEmpty() ? null : OutboxCode.UNOWNED_MESSAGES.text(unowned, prefix);
        if (problem != null && !reported) {
            LOG.warning(problem);
        }
        reported = problem != null;
        return problem;
    }

    private Rows read(Connection connection) throws SQLException {
        Rows rows = new Rows();
        JdbcStatement.named(connection, check, Map.of("application", application))
                .within(TIMEOUT_SECONDS)
                .forEach(row -> {
                    String destination = row.getString("destination");
                    switch (row.getString("kind")) {
                        case "partition" ->
                            rows.partitions
                                    .computeIfAbsent(destination, same -> new TreeMap<>())
                                    .put(row.getInt("detail"), row.getLong("id"));
                        case "control" -> {
                            rows.controls.add(destination);
                            if (row.getInt("detail") == 1) {
                                rows.paused.add(destination);
                            }
                        }
                        case "unowned" -> rows.unowned.put(destination, row.getLong("id"));
                        default -> rows.readOnly = true;
                    }
                });
        return rows;
    }

    private static final class Rows {
        private final Map<String, SortedMap<Integer, Long>> partitions = new HashMap<>();
        private final Set<String> controls = new HashSet<>();
        private final Set<String> paused = new HashSet<>();
        private final Map<String, Long> unowned = new TreeMap<>();
        private boolean readOnly;
    }
}

package dev.cdioutbox.internal.store.backlog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.admin.ControlTable;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Reads the state of the backlog, at a cost that does not depend on the number of published messages. */
public final class BacklogReader {
    /** In seconds. The next health check waits for this query. */
    private static final int TIMEOUT_SECONDS = 10;

    private static final Set<String> WAITING = Set.of(OutboxStatus.PENDING.name(), OutboxStatus.FAILED.name());

    private final String application;
    private final Dialect dialect;
    private final BacklogStatements sql;
    private final ControlTable control;
    private final ReadWatermark watermark;

    public BacklogReader(
            String application, String prefix, Dialect dialect, ControlTable control, ReadWatermark watermark) {
        this.application = application;
        this.dialect = dialect;
        this.sql = BacklogStatements.of(prefix, dialect, watermark.isKept());
        this.control = control;
        this.watermark = watermark;
    }

    public OutboxBacklog read(Connection connection) throws SQLException {
        watermark.raiseUnclaimed(connection, application);
        Map<String, Integer> counts = counts(connection);
        try (PreparedStatement select = prepare(connection, sql.oldest)) {
            try (ResultSet rows = select.executeQuery()) {
                Map<String, Instant> oldest = new HashMap<>();
                Instant readAt = null;
                while (rows.next()) {
                    readAt = dialect.time(rows, "read_at");
                    Instant of = dialect.time(rows, "oldest");
                    if (of != null) {
                        oldest.put(rows.getString("destination"), of);
                    }
                }
                return new OutboxBacklog(
                        counts.getOrDefault(OutboxStatus.PENDING.name(), 0),
                        counts.getOrDefault(OutboxStatus.FAILED.name(), 0),
                        counts.getOrDefault(OutboxStatus.ABANDONED.name(), 0),
                        oldest.values().stream().min(Comparator.naturalOrder()).orElse(null),
                        control.paused(connection),
                        readAt,
                        oldest);
            }
        }
    }

    private PreparedStatement prepare(Connection connection, String statement) throws SQLException {
        PreparedStatement select = connection.prepareStatement(statement);
        try {
            select.setQueryTimeout(TIMEOUT_SECONDS);
            int parameter = watermark.bindAll(select);
            long parameters = statement.chars().filter(c -> c == '?').count();
            while (parameter < parameters) {
                select.setString(++parameter, application);
            }
            return select;
        } catch (SQLException | RuntimeException e) {
            try (select) {
                throw e;
            }
        }
    }

    /**
     * The number of pending and failed messages of each destination that has some. Counting stops at
     * {@link OutboxBacklog#CAP} in all. If the sum reaches the cap, each number is a lower bound, and destinations may
     * be missing.
     */
    public Map<String, Integer> waitingByDestination(Connection connection) throws SQLException {
        Map<String, Integer> waiting = new HashMap<>();
        readCounts(connection, (destination, status, count) -> {
            if (WAITING.contains(status)) {
                waiting.merge(destination, count, Integer::sum);
            }
        });
        return waiting;
    }

    /** Counts by the names of statuses, since a newer version may have more statuses. */
    private Map<String, Integer> counts(Connection connection) throws SQLException {
        Map<String, Integer> counts = new HashMap<>();
        readCounts(connection, (destination, status, count) -> counts.merge(status, count, Integer::sum));
        return counts;
    }

    private void readCounts(Connection connection, Count each) throws SQLException {
        try (PreparedStatement select = prepare(connection, sql.counts)) {
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    each.accept(rows.getString(1), rows.getString(2), rows.getInt(3));
                }
            }
        }
    }

    private interface Count {
        void accept(String destination, String status, int count);
    }
}

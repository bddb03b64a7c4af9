package dev.cdioutbox.internal.store.backlog;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static java.util.stream.Collectors.toMap;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.admin.ControlTable;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
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

    public BacklogReader(String application, String prefix, Dialect dialect, ReadWatermark watermark) {
        this.application = application;
        this.dialect = dialect;
        this.sql = BacklogStatements.of(prefix, dialect);
        this.control = new ControlTable(application, prefix, dialect);
        this.watermark = watermark;
    }

    public OutboxBacklog read(Connection connection) throws SQLException {
        watermark.raiseUnclaimed(connection, application);
        // By the names of statuses, since a newer version may have more statuses.
        Map<String, Integer> byStatus =
                counts(connection).stream().collect(groupingBy(Count::status, summingInt(Count::messages)));
        List<Oldest> rows = statement(connection, sql.oldest)
                .list(row -> new Oldest(
                        row.getString("destination"), dialect.time(row, "oldest"), dialect.time(row, "read_at")));
        Map<String, Instant> oldest =
                rows.stream().filter(row -> row.time() != null).collect(toMap(Oldest::destination, Oldest::time));
        return new OutboxBacklog(
                byStatus.getOrDefault(OutboxStatus.PENDING.name(), 0),
                byStatus.getOrDefault(OutboxStatus.FAILED.name(), 0),
                byStatus.getOrDefault(OutboxStatus.ABANDONED.name(), 0),
                oldest.values().stream().min(Comparator.naturalOrder()).orElse(null),
                control.paused(connection),
                rows.isEmpty() ? null : rows.get(0).readAt(),
                oldest);
    }

    /**
     * The number of pending and failed messages of each destination that has some. Counting stops at
     * {@link OutboxBacklog#CAP} in all. If the sum reaches the cap, each number is a lower bound, and destinations may
     * be missing.
     */
    public Map<String, Integer> waitingByDestination(Connection connection) throws SQLException {
        return counts(connection).stream()
                .filter(count -> WAITING.contains(count.status()))
                .collect(groupingBy(Count::destination, summingInt(Count::messages)));
    }

    private List<Count> counts(Connection connection) throws SQLException {
        return statement(connection, sql.counts)
                .list(row -> new Count(row.getString(1), row.getString(2), row.getInt(3)));
    }

    private JdbcStatement statement(Connection connection, String text) {
        List<Object> parameters = new ArrayList<>(watermark.parameters());
        long count = text.chars().filter(c -> c == '?').count();
        while (parameters.size() < count) {
            parameters.add(application);
        }
        return JdbcStatement.of(connection, text, parameters.toArray()).within(TIMEOUT_SECONDS);
    }

    private record Count(String destination, String status, int messages) {}

    /** @param time when the oldest message of the destination became due; null if none is due */
    private record Oldest(String destination, Instant time, Instant readAt) {}
}

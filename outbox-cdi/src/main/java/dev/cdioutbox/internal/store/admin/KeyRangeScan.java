package dev.cdioutbox.internal.store.admin;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;

/** Limits a scan of the primary key to windows of rows, and to the times of a filter. */
public final class KeyRangeScan {
    /** In rows: the size of one window, and the largest number of waiting messages that a list reads as a whole. */
    public static final int ROWS = 20_000;

    /** In seconds; less than the default transaction timeout, so that the caller gets the error. */
    static final int TIMEOUT_SECONDS = 60;

    /** Tolerance for rows whose order by sequence differs from the order by time. */
    private static final Duration SLACK = Duration.ofMinutes(1);

    private final MessageFinderStatements sql;
    private final Dialect dialect;
    private final int windowRows;

    /** @param windowRows the number of rows of a window */
    public KeyRangeScan(MessageFinderStatements sql, Dialect dialect, int windowRows) {
        this.sql = sql;
        this.dialect = dialect;
        this.windowRows = windowRows;
    }

    boolean isFewWaiting(Connection connection) throws SQLException {
        return JdbcStatement.of(connection, sql.countWaiting, windowRows + 1).number() <= windowRows;
    }

    /** Whether a filter spans no more sequences than a window. */
    static boolean isWithinWindow(OutboxFilter filter) {
        return filter.afterSequence() != null
                && filter.beforeSequence() != null
                && filter.beforeSequence() - filter.afterSequence() <= ROWS;
    }

    /** The lowest sequence of the window below a filter's upper bound; null if the window reaches its lower bound. */
    Long windowStart(Connection connection, OutboxFilter filter) throws SQLException {
        long above = filter.afterSequence() == null ? Long.MIN_VALUE : filter.afterSequence();
        return JdbcStatement.of(connection, sql.scanWindow, below(filter), above, windowRows)
                .first(row -> row.getInt("looked_at") < windowRows ? null : (Long) row.getLong("lowest"));
    }

    /** Adds bounds for the sequence by the filter's times: the order of the sequences is nearly that of the times. */
    OutboxFilter withSequenceBounds(Connection connection, OutboxFilter filter) throws SQLException {
        OutboxFilter bounded = filter;
        if (filter.createdBefore() != null) {
            bounded = bounded.withBeforeSequence(
                    firstFrom(connection, filter.createdBefore().plus(SLACK), below(filter)));
        }
        if (filter.createdFrom() != null) {
            long first = firstFrom(connection, filter.createdFrom().minus(SLACK), below(bounded));
            long after = filter.afterSequence() == null ? Long.MIN_VALUE : filter.afterSequence();
            bounded = bounded.withAfterSequence(Math.max(first - 1, after));
        }
        return bounded;
    }

    private static long below(OutboxFilter filter) {
        return filter.beforeSequence() == null ? Long.MAX_VALUE : filter.beforeSequence();
    }

    /** Finds, by bisection, the lowest sequence from which on rows are not older. */
    private long firstFrom(Connection connection, Instant time, long below) throws SQLException {
        long low = 0;
        NumberedRow newest = rowBelow(connection, below);
        if (newest == null || newest.createdAt().isBefore(time)) {
            return below;
        }
        long high = newest.sequence();
        while (low < high) {
            long middle = low + (high - low) / 2;
            NumberedRow row = rowBelow(connection, middle + 1);
            if (row == null || row.createdAt().isBefore(time)) {
                low = middle + 1;
            } else {
                high = row.sequence();
            }
        }
        return high;
    }

    /** The highest sequence below the filter's upper bound. */
    long highest(Connection connection, OutboxFilter filter) throws SQLException {
        NumberedRow row = rowBelow(connection, below(filter));
        return row == null ? 0 : row.sequence();
    }

    private NumberedRow rowBelow(Connection connection, long sequence) throws SQLException {
        return JdbcStatement.of(connection, sql.rowBelow, sequence)
                .first(row -> new NumberedRow(row.getLong("seq"), dialect.time(row, "created_at")));
    }

    private record NumberedRow(long sequence, Instant createdAt) {}
}

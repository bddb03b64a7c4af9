package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

import dev.cdioutbox.OutboxFilter;

/** Scans the primary key in windows of a bounded number of rows. Its order is nearly that of the times. */
final class KeyRangeScan {
    /** The rows of one window; and the largest backlog that is read without windows. */
    static final int ROWS = 20_000;

    /** A row may get its sequence so long after one with a later time. */
    private static final Duration SLACK = Duration.ofMinutes(1);

    private final MessageFinderStatements sql;
    private final Dialect dialect;
    private final int windowRows;

    /** @param windowRows the rows of a window */
    KeyRangeScan(MessageFinderStatements sql, Dialect dialect, int rows) {
        this.sql = sql;
        this.dialect = dialect;
        this.windowRows = rows;
    }

    boolean isFewWaiting(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.countWaiting)) {
            select.setInt(1, windowRows + 1);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getInt(1) <= windowRows;
            }
        }
    }

    /** Whether a filter spans no more sequences than a window. */
    static boolean isWithinWindow(OutboxFilter filter) {
        return filter.afterSequence() != null
                && filter.beforeSequence() != null
                && filter.beforeSequence() - filter.afterSequence() <= ROWS;
    }

    /** The lowest waiting sequence, or a lower one; null if too many keys are blocked. */
    Long lowestWaiting(Connection connection, String application) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.lowestWaiting)) {
            select.setQueryTimeout(ChangeCandidateQuery.TIMEOUT_SECONDS);
            for (int parameter = 1; parameter <= 3; parameter++) {
                select.setString(parameter, application);
            }
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getInt("blocked_keys") < ROWS ? (Long) row.getLong("lowest") : null;
            }
        }
    }

    /** The first window of a filter with a lower bound. */
    static OutboxFilter firstWindow(OutboxFilter filter) {
        long before = filter.afterSequence() + ROWS;
        return filter.beforeSequence() != null && filter.beforeSequence() <= before
                ? filter
                : filter.withBeforeSequence(before);
    }

    /** The next window of a filter. */
    ScanWindow nextWindow(Connection connection, OutboxFilter filter) throws SQLException {
        long below = below(connection, filter);
        long after = filter.afterSequence() == null ? Long.MIN_VALUE : filter.afterSequence();
        try (PreparedStatement select = connection.prepareStatement(sql.scanWindow)) {
            select.setLong(1, below);
            select.setLong(2, after);
            select.setInt(3, windowRows);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                Instant oldest = dialect.time(row, "oldest");
                boolean isBehind = filter.createdFrom() != null
                        && oldest != null
                        && oldest.isBefore(filter.createdFrom().minus(SLACK));
                return new ScanWindow(row.getLong("lowest"), below, isBehind || row.getInt("looked_at") < windowRows);
            }
        }
    }

    /** Adds bounds for the sequence that follow from the filter's times. */
    OutboxFilter withSequenceBounds(Connection connection, OutboxFilter filter) throws SQLException {
        OutboxFilter narrowed = filter;
        if (filter.createdBefore() != null) {
            narrowed = narrowed.withBeforeSequence(below(connection, filter));
        }
        if (filter.createdFrom() != null) {
            long first = firstFrom(connection, filter.createdFrom().minus(SLACK), Long.MAX_VALUE);
            long after = filter.afterSequence() == null ? Long.MIN_VALUE : filter.afterSequence();
            narrowed = narrowed.withAfterSequence(Math.max(first - 1, after));
        }
        return narrowed;
    }

    private long below(Connection connection, OutboxFilter filter) throws SQLException {
        long below = filter.beforeSequence() == null ? Long.MAX_VALUE : filter.beforeSequence();
        return filter.createdBefore() == null
                ? below
                : Math.min(below, firstFrom(connection, filter.createdBefore().plus(SLACK), below));
    }

    /** By bisection: the lowest sequence from which on rows are not older. */
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

    /** The highest sequence within the filter's own bound. */
    long highest(Connection connection, OutboxFilter filter) throws SQLException {
        NumberedRow row =
                rowBelow(connection, filter.beforeSequence() == null ? Long.MAX_VALUE : filter.beforeSequence());
        return row == null ? 0 : row.sequence();
    }

    private NumberedRow rowBelow(Connection connection, long sequence) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.rowBelow)) {
            select.setLong(1, sequence);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? new NumberedRow(row.getLong("seq"), dialect.time(row, "created_at")) : null;
            }
        }
    }

    private record NumberedRow(long sequence, Instant createdAt) {}

    /**
     * @param from the lowest sequence
     * @param below what is above the highest one
     * @param isLast whether nothing below it can match
     */
    record ScanWindow(long from, long below, boolean isLast) {}
}

package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.store.OperatorStore.CandidateCount;
import dev.cdioutbox.internal.store.OperatorStore.Change;
import dev.cdioutbox.internal.store.OperatorStore.ChangeCandidate;

/**
 * Finds the messages to which an operator's change may apply, without locking them. Waiting messages are found by the
 * index of the queues; published ones on the primary key, between the times of the filter.
 */
final class ChangeCandidateQuery {
    /** In seconds; less than the default transaction time-out, so that the caller gets the error. */
    static final int TIMEOUT_SECONDS = 60;

    /** So many windows of the primary key are scanned before all waiting messages are read. */
    private static final int MAX_WINDOWS = 5;

    private final String application;
    private final OperatorStatements sql;
    private final Dialect dialect;
    private final KeyRangeScan scan;

    ChangeCandidateQuery(String application, OperatorStatements sql, Dialect dialect, KeyRangeScan scan) {
        this.application = application;
        this.sql = sql;
        this.dialect = dialect;
        this.scan = scan;
    }

    List<ChangeCandidate> find(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        QueryConditions conditions = conditions(connection, change, filter);
        if (!usesQueueIndex(change, filter)) {
            return find(connection, sql.candidates(conditions, dialect), conditions, filter.limit());
        }
        if (filter.afterSequence() != null) {
            // A later batch of many: the next candidates are near the last ones.
            List<ChangeCandidate> next = find(connection, change, KeyRangeScan.firstWindow(filter));
            if (next.size() == filter.limit()) {
                return next;
            }
        }
        if (!scan.isFewWaiting(connection)) {
            List<ChangeCandidate> lowest = scanWindows(connection, change, filter);
            if (lowest.size() == filter.limit()) {
                return lowest;
            }
        }
        return find(connection, sql.waitingCandidates(conditions, dialect), conditions, filter.limit());
    }

    /**
     * With a large backlog: scans windows of the primary key from the lowest waiting sequence on, so that not all
     * waiting messages are sorted.
     */
    private List<ChangeCandidate> scanWindows(Connection connection, Change change, OutboxFilter filter)
            throws SQLException {
        List<ChangeCandidate> found = new ArrayList<>();
        Long lowest = scan.lowestWaiting(connection, application);
        if (lowest == null) {
            return found;
        }
        long after = filter.afterSequence() == null ? lowest - 1 : Math.max(filter.afterSequence(), lowest - 1);
        for (int i = 0; i < MAX_WINDOWS && found.size() < filter.limit(); i++) {
            OutboxFilter window =
                    KeyRangeScan.firstWindow(filter.withAfterSequence(after).withLimit(filter.limit() - found.size()));
            found.addAll(find(connection, change, window));
            after = window.beforeSequence() - 1;
        }
        return found;
    }

    private static List<ChangeCandidate> find(
            Connection connection, String query, QueryConditions conditions, int limit) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(query)) {
            select.setQueryTimeout(TIMEOUT_SECONDS);
            select.setInt(conditions.bind(select), limit);
            try (ResultSet rows = select.executeQuery()) {
                List<ChangeCandidate> found = new ArrayList<>();
                while (rows.next()) {
                    found.add(new ChangeCandidate(rows.getLong(1), rows.getInt(2)));
                }
                return found;
            }
        }
    }

    CandidateCount count(Connection connection, Change change, OutboxFilter filter, int cap) throws SQLException {
        QueryConditions conditions = conditions(connection, change, filter);
        if (!usesQueueIndex(change, filter)) {
            return count(connection, sql.countCandidates(conditions, dialect), conditions, cap);
        }
        if (!scan.isFewWaiting(connection) && countPending(connection, conditions, cap) == cap) {
            return new CandidateCount(cap, last(connection, change, filter));
        }
        return count(connection, sql.countWaitingCandidates(conditions, dialect), conditions, cap);
    }

    /**
     * With a large backlog the highest match is searched for backwards in bounded steps. If it is lower than these, the
     * result is a sequence above it, which is as good as a bound.
     */
    private long last(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        int rows = KeyRangeScan.ROWS / MAX_WINDOWS;
        long high = scan.highest(connection, filter);
        for (int i = 0; i < MAX_WINDOWS; i++) {
            long low = filter.afterSequence() == null ? high - rows : Math.max(high - rows, filter.afterSequence());
            QueryConditions window =
                    conditions(connection, change, filter.withAfterSequence(low).withBeforeSequence(high + 1));
            long last = count(connection, sql.countCandidates(window, dialect), window, rows)
                    .last();
            if (last > 0) {
                return last;
            }
            high = low;
        }
        return high;
    }

    private int countPending(Connection connection, QueryConditions conditions, int cap) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.countWaiting(conditions, dialect))) {
            select.setQueryTimeout(TIMEOUT_SECONDS);
            select.setInt(conditions.bind(select), cap);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static CandidateCount count(Connection connection, String query, QueryConditions conditions, int cap)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(query)) {
            select.setQueryTimeout(TIMEOUT_SECONDS);
            select.setInt(conditions.bind(select), cap);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return new CandidateCount(row.getInt(1), row.getLong(2));
            }
        }
    }

    /** A narrow range of sequences is read on the primary key. */
    private static boolean usesQueueIndex(Change change, OutboxFilter filter) {
        return change != Change.REPLAY && !KeyRangeScan.isWithinWindow(filter);
    }

    private QueryConditions conditions(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        OutboxFilter narrowed = change == Change.REPLAY ? scan.withSequenceBounds(connection, filter) : filter;
        QueryConditions conditions = new QueryConditions(dialect, application);
        if (usesQueueIndex(change, filter)) {
            conditions.usingQueueIndex();
        }
        conditions.matchingWithQueues(narrowed).statuses(change.from());
        return conditions;
    }
}

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
 * Looks for what a change is tried on, and locks nothing. What waits is found by the index of the queues; what is done, on the
 * primary key between the times that the filter gives, and all of it if it gives none.
 */
final class ChangeCandidateQuery {
    /** Less than a transaction lives by default: whoever asks hears of it, and the query does not outlive its transaction. */
    static final int TIMEOUT_SECONDS = 60;

    /** So many scan windows are looked through before all that waits is. */
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
            // One batch after the other, of very many: the next is not far.
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

    /** Very many wait, and those lie together: from the lowest on, not all of them are put in order. */
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
     * Which of very many is the last would take all of them to tell: it is looked for from the end on. If it is further down, this
     * tells how far that was: what comes later, or is in that state later, is above it in any case.
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

    /** Few sequences are looked at one after the other. */
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

package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.store.Operations.Candidate;
import dev.cdioutbox.internal.store.Operations.Change;
import dev.cdioutbox.internal.store.Operations.Extent;

/**
 * Looks for what a change is tried on, and locks nothing. What waits is found by the index of the queues; what is done, on the
 * primary key between the times that the filter gives, and all of it if it gives none.
 */
final class Candidates {
    /** Less than a transaction lives by default: whoever asks hears of it, and the query does not outlive its transaction. */
    static final int TIMEOUT_SECONDS = 60;

    /** So many stretches are looked through before all that waits is. */
    private static final int STRETCHES = 5;

    private final String application;
    private final OperationStatements sql;
    private final Dialect dialect;
    private final Walk walk;

    Candidates(String application, OperationStatements sql, Dialect dialect, Walk walk) {
        this.application = application;
        this.sql = sql;
        this.dialect = dialect;
        this.walk = walk;
    }

    List<Candidate> first(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        Conditions conditions = conditions(connection, change, filter);
        if (!isByQueue(change, filter)) {
            return first(connection, sql.candidates(conditions, dialect), conditions, filter.limit());
        }
        if (filter.afterSequence() != null) {
            // One portion after the other, of very many: the next is not far.
            List<Candidate> next = first(connection, change, Walk.stretch(filter));
            if (next.size() == filter.limit()) {
                return next;
            }
        }
        if (!walk.isFewWaiting(connection)) {
            List<Candidate> lowest = alongSequences(connection, change, filter);
            if (lowest.size() == filter.limit()) {
                return lowest;
            }
        }
        return first(connection, sql.candidatesThatWait(conditions, dialect), conditions, filter.limit());
    }

    /** Very many wait, and those lie together: from the lowest on, not all of them are put in order. */
    private List<Candidate> alongSequences(Connection connection, Change change, OutboxFilter filter)
            throws SQLException {
        List<Candidate> found = new ArrayList<>();
        Long lowest = walk.lowestWaiting(connection, application);
        if (lowest == null) {
            return found;
        }
        long after = filter.afterSequence() == null ? lowest - 1 : Math.max(filter.afterSequence(), lowest - 1);
        for (int i = 0; i < STRETCHES && found.size() < filter.limit(); i++) {
            OutboxFilter stretch =
                    Walk.stretch(filter.withAfterSequence(after).withLimit(filter.limit() - found.size()));
            found.addAll(first(connection, change, stretch));
            after = stretch.beforeSequence() - 1;
        }
        return found;
    }

    private static List<Candidate> first(Connection connection, String query, Conditions conditions, int limit)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(query)) {
            select.setQueryTimeout(TIMEOUT_SECONDS);
            select.setInt(conditions.bind(select), limit);
            try (ResultSet rows = select.executeQuery()) {
                List<Candidate> found = new ArrayList<>();
                while (rows.next()) {
                    found.add(new Candidate(rows.getLong(1), rows.getInt(2)));
                }
                return found;
            }
        }
    }

    Extent extent(Connection connection, Change change, OutboxFilter filter, int cap) throws SQLException {
        Conditions conditions = conditions(connection, change, filter);
        if (!isByQueue(change, filter)) {
            return extent(connection, sql.extent(conditions, dialect), conditions, cap);
        }
        if (!walk.isFewWaiting(connection) && count(connection, conditions, cap) == cap) {
            return new Extent(cap, last(connection, change, filter));
        }
        return extent(connection, sql.extentThatWaits(conditions, dialect), conditions, cap);
    }

    /**
     * Which of very many is the last would take all of them to tell: it is looked for from the end on. If it is further down, this
     * tells how far that was: what comes later, or is in that state later, is above it in any case.
     */
    private long last(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        int rows = Walk.ROWS / STRETCHES;
        long high = walk.highest(connection, filter);
        for (int i = 0; i < STRETCHES; i++) {
            long low = filter.afterSequence() == null ? high - rows : Math.max(high - rows, filter.afterSequence());
            Conditions stretch =
                    conditions(connection, change, filter.withAfterSequence(low).withBeforeSequence(high + 1));
            long last = extent(connection, sql.extent(stretch, dialect), stretch, rows)
                    .last();
            if (last > 0) {
                return last;
            }
            high = low;
        }
        return high;
    }

    private int count(Connection connection, Conditions conditions, int cap) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.countThatWaits(conditions, dialect))) {
            select.setQueryTimeout(TIMEOUT_SECONDS);
            select.setInt(conditions.bind(select), cap);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static Extent extent(Connection connection, String query, Conditions conditions, int cap)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(query)) {
            select.setQueryTimeout(TIMEOUT_SECONDS);
            select.setInt(conditions.bind(select), cap);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return new Extent(row.getInt(1), row.getLong(2));
            }
        }
    }

    /** Few sequences are looked at one after the other. */
    private static boolean isByQueue(Change change, OutboxFilter filter) {
        return change != Change.REPLAY && !Walk.isStretch(filter);
    }

    private Conditions conditions(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        OutboxFilter narrowed = change == Change.REPLAY ? walk.narrowed(connection, filter) : filter;
        Conditions conditions = new Conditions(dialect, application);
        if (isByQueue(change, filter)) {
            conditions.alongQueues();
        }
        conditions.all(narrowed).statuses(change.from());
        return conditions;
    }
}

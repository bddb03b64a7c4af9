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
    private static final int TIMEOUT_SECONDS = 60;

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
        String query = sql.candidates + conditions + " ORDER BY seq " + dialect.first("?");
        try (PreparedStatement select = connection.prepareStatement(query)) {
            select.setQueryTimeout(TIMEOUT_SECONDS);
            select.setInt(conditions.bind(select), filter.limit());
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
        try (PreparedStatement select = connection.prepareStatement(sql.extent(conditions, dialect))) {
            select.setQueryTimeout(TIMEOUT_SECONDS);
            select.setInt(conditions.bind(select), cap);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return new Extent(row.getInt(1), row.getLong(2));
            }
        }
    }

    private Conditions conditions(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        OutboxFilter narrowed = change == Change.REPLAY ? walk.narrowed(connection, filter) : filter;
        Conditions conditions = new Conditions(dialect, application).all(narrowed);
        conditions.statuses(change.from());
        return conditions;
    }
}

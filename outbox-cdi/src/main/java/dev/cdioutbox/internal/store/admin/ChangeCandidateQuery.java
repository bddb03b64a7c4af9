package dev.cdioutbox.internal.store.admin;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.store.OperatorStore.CandidateCount;
import dev.cdioutbox.internal.store.OperatorStore.Change;
import dev.cdioutbox.internal.store.OperatorStore.ChangeCandidate;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * Finds the messages to which an operator's change may apply, without locking them. Reads waiting messages by the index
 * of the queues, and published ones by the primary key, within the times of the filter.
 */
public final class ChangeCandidateQuery {
    private final String application;
    private final OperatorStatements sql;
    private final Dialect dialect;
    private final KeyRangeScan scan;

    public ChangeCandidateQuery(String application, OperatorStatements sql, Dialect dialect, KeyRangeScan scan) {
        this.application = application;
        this.sql = sql;
        this.dialect = dialect;
        this.scan = scan;
    }

    List<ChangeCandidate> find(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        QueryConditions conditions = conditions(connection, change, filter);
        if (conditions.isByQueue() && filter.afterSequence() != null) {
            // Look near the last candidates first: the index of the queues would be read as a whole.
            List<ChangeCandidate> next =
                    find(connection, change, filter.withBeforeSequence(filter.afterSequence() + KeyRangeScan.ROWS));
            if (next.size() == filter.limit()) {
                return next;
            }
        }
        return conditions
                .statement(connection, sql.candidates(conditions), filter.limit())
                .list(row -> new ChangeCandidate(row.getLong(1), row.getInt(2)));
    }

    CandidateCount count(Connection connection, Change change, OutboxFilter filter, int cap) throws SQLException {
        QueryConditions conditions = conditions(connection, change, filter);
        CandidateCount counted = conditions
                .statement(connection, sql.countCandidates(conditions), cap)
                .first(row -> new CandidateCount(row.getInt(1), row.getLong(2)));
        boolean isComplete = counted.count() < cap || !conditions.isByQueue();
        return isComplete ? counted : new CandidateCount(counted.count(), scan.highest(connection, filter));
    }

    private QueryConditions conditions(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        QueryConditions conditions = change != Change.REPLAY && !KeyRangeScan.isWithinWindow(filter)
                ? QueryConditions.byQueue(dialect, application, filter)
                : QueryConditions.byKey(dialect, application, scan.withSequenceBounds(connection, filter));
        return conditions.statuses(change.from());
    }
}

package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.problem.Problem;

/** Marks what was sent and what was not, by id; a row that is not as it was claimed rolls everything back. */
final class Settler {
    private final String table;
    private final Statements sql;
    private final Postponing postponing;
    private final int timeoutSeconds;

    /**
     * @param timeoutSeconds how long a locked row is waited for. Who lost a claim may find that another node has prepared
     *     the same rows and died; without an end every key of the lane would wait for that one's recovery.
     */
    Settler(String table, Statements sql, Postponing postponing, int timeoutSeconds) {
        this.table = table;
        this.sql = sql;
        this.postponing = postponing;
        this.timeoutSeconds = timeoutSeconds;
    }

    void settle(Connection connection, Settlement settlement) throws SQLException {
        int settled = finish(connection, OutboxStatus.PUBLISHED, settlement.published(), settlement.retention())
                + finish(connection, OutboxStatus.EXPIRED, settlement.expired(), settlement.retention())
                + postpone(connection, settlement.retries());
        int expected = settlement.published().size()
                + settlement.expired().size()
                + settlement.retries().size();
        if (settled != expected) {
            throw Problem.SETTLED_WRONG_COUNT.exception(expected, settled, table);
        }
    }

    private int finish(Connection connection, OutboxStatus status, List<Long> sequences, RetentionConfig retention)
            throws SQLException {
        if (sequences.isEmpty()) {
            return 0;
        }
        int parameters = Statements.padded(sequences.size());
        if (retention.leavesWhenPublished() && !retention.archives()) {
            return execute(connection, sql.leave(parameters), sequences, timeoutSeconds);
        }
        int settled = execute(
                connection,
                status == OutboxStatus.PUBLISHED
                        ? sql.settle(parameters, retention.erases())
                        : sql.expire(parameters, retention.erases()),
                sequences,
                timeoutSeconds);
        if (retention.leavesWhenPublished()) {
            execute(connection, sql.archive(parameters), sequences, timeoutSeconds);
            execute(connection, sql.remove(parameters), sequences, timeoutSeconds);
        }
        return settled;
    }

    /** Runs an update of these rows, whose ids are the last parameters it has. */
    static int execute(Connection connection, String statement, List<Long> sequences, int timeoutSeconds)
            throws SQLException {
        int parameters = Statements.padded(sequences.size());
        try (PreparedStatement update = connection.prepareStatement(statement)) {
            update.setQueryTimeout(timeoutSeconds);
            for (int i = 0; i < parameters; i++) {
                update.setLong(i + 1, sequences.get(Math.min(i, sequences.size() - 1)));
            }
            return update.executeUpdate();
        }
    }

    private int postpone(Connection connection, List<Retry> retries) throws SQLException {
        int settled = 0;
        for (Retry retry : retries) {
            settled += postponing.postpone(connection, retry, timeoutSeconds);
        }
        return settled;
    }
}

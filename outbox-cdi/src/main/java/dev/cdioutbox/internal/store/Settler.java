package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

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
        int settled = publish(connection, settlement)
                + expire(connection, settlement)
                + postpone(connection, settlement.retries());
        int expected = settlement.published().size()
                + settlement.expired().size()
                + settlement.retries().size();
        if (settled != expected) {
            throw Problem.SETTLED_WRONG_COUNT.exception(expected, settled, table);
        }
    }

    /** What was shadowed is kept, however short the retention: its mark is what the old publisher is compared with. */
    private int publish(Connection connection, Settlement settlement) throws SQLException {
        RetentionConfig retention = settlement.retention();
        boolean leaves = retention.leavesWhenPublished() && settlement.shadow() == null;
        return finish(connection, settlement.published(), leaves, retention.archives(), parameters -> {
            String statement = sql.settle(parameters, retention.erases());
            return execute(connection, statement, settlement.shadow(), settlement.published(), timeoutSeconds);
        });
    }

    private int expire(Connection connection, Settlement settlement) throws SQLException {
        RetentionConfig retention = settlement.retention();
        return finish(
                connection,
                settlement.expired(),
                retention.leavesWhenPublished(),
                retention.archives(),
                parameters -> execute(
                        connection, sql.expire(parameters, retention.erases()), settlement.expired(), timeoutSeconds));
    }

    private int finish(Connection connection, List<Long> sequences, boolean leaves, boolean archives, Update update)
            throws SQLException {
        if (sequences.isEmpty()) {
            return 0;
        }
        int parameters = Statements.padded(sequences.size());
        if (leaves && !archives) {
            return execute(connection, sql.leave(parameters), sequences, timeoutSeconds);
        }
        int settled = update.run(parameters);
        if (leaves) {
            execute(connection, sql.archive(parameters), sequences, timeoutSeconds);
            execute(connection, sql.remove(parameters), sequences, timeoutSeconds);
        }
        return settled;
    }

    /** Runs an update of these rows, whose ids are the last parameters it has. */
    static int execute(Connection connection, String statement, List<Long> sequences, int timeoutSeconds)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(statement)) {
            return execute(update, 0, sequences, timeoutSeconds);
        }
    }

    private static int execute(
            Connection connection, String statement, String first, List<Long> sequences, int timeoutSeconds)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(statement)) {
            update.setString(1, first);
            return execute(update, 1, sequences, timeoutSeconds);
        }
    }

    private static int execute(PreparedStatement update, int after, List<Long> sequences, int timeoutSeconds)
            throws SQLException {
        update.setQueryTimeout(timeoutSeconds);
        for (int i = 0; i < Statements.padded(sequences.size()); i++) {
            update.setLong(after + i + 1, sequences.get(Math.min(i, sequences.size() - 1)));
        }
        return update.executeUpdate();
    }

    private int postpone(Connection connection, List<Retry> retries) throws SQLException {
        int settled = 0;
        for (Retry retry : retries) {
            settled += postponing.postpone(connection, retry, timeoutSeconds);
        }
        return settled;
    }

    private interface Update {
        int run(int parameters) throws SQLException;
    }
}

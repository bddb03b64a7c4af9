package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.problem.Problem;

/** What operators do, through JDBC. */
final class JdbcOperations implements Operations {
    private static final int SUBJECT_LENGTH = 2000;

    /** A claim that puts gates in order holds them for a moment only. */
    private static final int TIMEOUT_SECONDS = 30;

    private final DataSource dataSource;
    private final String application;
    private final Statements sql;
    private final OperationStatements operations;
    private final GateStatements gates;

    JdbcOperations(
            DataSource dataSource,
            String application,
            Statements sql,
            OperationStatements operations,
            GateStatements gates) {
        this.dataSource = dataSource;
        this.application = application;
        this.sql = sql;
        this.operations = operations;
        this.gates = gates;
    }

    @Override
    public int change(Change change, OutboxFilter filter) {
        return run("changing messages", connection -> {
            List<Long> found = candidates(connection, change, filter);
            Set<Long> opened = new TreeSet<>();
            List<Long> free = found.isEmpty() ? found : lock(connection, found, opened);
            int changed = free.isEmpty() ? 0 : update(connection, change, free);
            open(connection, opened);
            return changed;
        });
    }

    private List<Long> candidates(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        Conditions conditions = new Conditions(sql.dialect(), application).all(filter);
        conditions.in("status", change.from().stream().map(OutboxStatus::name).toList());
        String query = operations.candidates + conditions + " ORDER BY seq "
                + sql.dialect().first("?");
        try (PreparedStatement select = connection.prepareStatement(query)) {
            select.setInt(conditions.bind(select), filter.limit());
            return sequences(select);
        }
    }

    /**
     * Only what no delivery holds: a row in doubt would keep the operator waiting, and its outcome is not his.
     *
     * @param opened the gates whose first message is among them
     */
    private List<Long> lock(Connection connection, List<Long> found, Set<Long> opened) throws SQLException {
        int parameters = Statements.padded(found.size());
        List<Long> locked = new ArrayList<>();
        try (PreparedStatement lock = connection.prepareStatement(operations.lock(parameters))) {
            bind(lock, found, parameters, 0);
            try (ResultSet rows = lock.executeQuery()) {
                while (rows.next()) {
                    locked.add(rows.getLong("seq"));
                    // What follows it was never tried.
                    if (rows.getLong("queue_id") > Integer.MAX_VALUE
                            && !OutboxStatus.PENDING.name().equals(rows.getString("status"))) {
                        opened.add(rows.getLong("queue_id"));
                    }
                }
            }
        }
        return locked;
    }

    /** Nobody looks behind a gate that is not due, and these wait no longer for what they were made for. */
    private void open(Connection connection, Set<Long> opened) throws SQLException {
        for (long gate : opened) {
            try (PreparedStatement update = connection.prepareStatement(gates.wake)) {
                update.setQueryTimeout(TIMEOUT_SECONDS);
                update.setLong(1, gate);
                update.executeUpdate();
            }
        }
    }

    /** With its state in the condition: what somebody else changed since it was looked for is not changed again. */
    private int update(Connection connection, Change change, List<Long> sequences) throws SQLException {
        int parameters = Statements.padded(sequences.size());
        try (PreparedStatement update = connection.prepareStatement(operations.change(change, parameters))) {
            bind(update, sequences, parameters, 0);
            return update.executeUpdate();
        }
    }

    private static List<Long> sequences(PreparedStatement select) throws SQLException {
        List<Long> sequences = new ArrayList<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                sequences.add(rows.getLong(1));
            }
        }
        return sequences;
    }

    private static void bind(PreparedStatement statement, List<Long> sequences, int parameters, int after)
            throws SQLException {
        for (int i = 0; i < parameters; i++) {
            statement.setLong(after + i + 1, sequences.get(Math.min(i, sequences.size() - 1)));
        }
    }

    @Override
    public Boolean pause(String destination, boolean paused, String who) {
        return run(paused ? "pausing" : "resuming", connection -> {
            try (PreparedStatement update = connection.prepareStatement(operations.pause)) {
                update.setInt(1, paused ? 1 : 0);
                update.setString(2, who);
                update.setString(3, application);
                update.setString(4, destination);
                update.setInt(5, paused ? 0 : 1);
                return update.executeUpdate() > 0 ? Boolean.TRUE : known(connection, destination);
            }
        });
    }

    private Boolean known(Connection connection, String destination) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(operations.isPaused)) {
            select.setString(1, application);
            select.setString(2, destination);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Boolean.FALSE : null;
            }
        }
    }

    @Override
    public void audit(String who, String action, String subject, int changed) {
        run("writing the audit", connection -> {
            try (PreparedStatement insert = connection.prepareStatement(operations.audit)) {
                insert.setString(1, application);
                insert.setString(2, who);
                insert.setString(3, action);
                insert.setString(4, subject.length() > SUBJECT_LENGTH ? subject.substring(0, SUBJECT_LENGTH) : subject);
                insert.setInt(5, changed);
                return insert.executeUpdate();
            }
        });
    }

    private <T> T run(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            return work.on(connection);
        } catch (SQLException e) {
            throw Problem.DATABASE_FAILED.exception(e, what, Problem.reason(e));
        }
    }

    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }
}

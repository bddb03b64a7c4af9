package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.problem.Problem;

/** What operators do, through JDBC. */
final class JdbcOperations implements Operations {
    private static final int SUBJECT_LENGTH = 2000;

    private final DataSource dataSource;
    private final String application;
    private final Statements sql;
    private final OperationStatements operations;

    JdbcOperations(DataSource dataSource, String application, Statements sql, OperationStatements operations) {
        this.dataSource = dataSource;
        this.application = application;
        this.sql = sql;
        this.operations = operations;
    }

    @Override
    public int change(Change change, OutboxFilter filter) {
        return run("changing messages", connection -> {
            List<Long> found = candidates(connection, change, filter);
            List<Long> free = found.isEmpty() ? found : lock(connection, found);
            return free.isEmpty() ? 0 : update(connection, change, free);
        });
    }

    @Override
    public List<Long> candidates(Change change, OutboxFilter filter) {
        return run("looking for messages", connection -> candidates(connection, change, filter));
    }

    @Override
    public Extent extent(Change change, OutboxFilter filter, int cap) {
        Conditions conditions = conditions(change, filter);
        return run("counting messages", connection -> {
            try (PreparedStatement select = connection.prepareStatement(operations.extent(conditions, sql.dialect()))) {
                select.setInt(conditions.bind(select), cap);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    return new Extent(row.getInt(1), row.getLong(2));
                }
            }
        });
    }

    private Conditions conditions(Change change, OutboxFilter filter) {
        Conditions conditions = new Conditions(sql.dialect(), application).all(filter);
        conditions.in("status", change.from().stream().map(OutboxStatus::name).toList());
        return conditions;
    }

    private List<Long> candidates(Connection connection, Change change, OutboxFilter filter) throws SQLException {
        Conditions conditions = conditions(change, filter);
        String query = operations.candidates + conditions + " ORDER BY seq "
                + sql.dialect().first("?");
        try (PreparedStatement select = connection.prepareStatement(query)) {
            select.setInt(conditions.bind(select), filter.limit());
            return sequences(select);
        }
    }

    /** Only what no delivery holds: a row in doubt would keep the operator waiting, and its outcome is not his. */
    private List<Long> lock(Connection connection, List<Long> found) throws SQLException {
        int parameters = Statements.padded(found.size());
        try (PreparedStatement lock = connection.prepareStatement(operations.lock(parameters))) {
            bind(lock, found, parameters, 0);
            return sequences(lock);
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

    @Override
    public List<Audited> audited(int most) {
        return run("reading the audit", connection -> {
            try (PreparedStatement select = connection.prepareStatement(operations.audited)) {
                select.setString(1, application);
                select.setInt(2, most);
                List<Audited> audited = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        audited.add(new Audited(
                                rows.getString("done_by"),
                                rows.getString("action"),
                                rows.getString("subject"),
                                rows.getInt("changed"),
                                sql.dialect().time(rows, "done_at")));
                    }
                }
                return audited;
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

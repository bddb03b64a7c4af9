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

import dev.cdioutbox.OutboxAct;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.problem.Problem;

/** What operators do, through JDBC. */
final class JdbcOperations implements Operations {
    /** A claim that puts gates in order holds them for a moment only. */
    private static final int TIMEOUT_SECONDS = 30;

    private final DataSource dataSource;
    private final String application;
    private final Candidates candidates;
    private final OperationStatements operations;
    private final GateStatements gates;
    private final AuditTable audit;
    private final FloorKeeper floors;

    JdbcOperations(
            DataSource dataSource,
            String application,
            Candidates candidates,
            OperationStatements operations,
            GateStatements gates,
            AuditTable audit,
            FloorKeeper floors) {
        this.floors = floors;
        this.dataSource = dataSource;
        this.application = application;
        this.candidates = candidates;
        this.operations = operations;
        this.gates = gates;
        this.audit = audit;
    }

    @Override
    public List<MessageReference> change(Change change, List<Long> sequences) {
        if (sequences.isEmpty()) {
            return List.of();
        }
        List<MessageReference> changed = run("changing messages", connection -> {
            Set<Long> opened = new TreeSet<>();
            List<MessageReference> free = lock(connection, change, sequences, opened);
            if (!free.isEmpty()) {
                update(connection, change, free);
                open(connection, opened);
            }
            return free;
        });
        floors.lookSoon();
        return changed;
    }

    @Override
    public Long sequence(String messageId) {
        return run("looking for a message", connection -> {
            try (PreparedStatement select = connection.prepareStatement(operations.sequence)) {
                select.setString(1, messageId);
                select.setString(2, application);
                try (ResultSet row = select.executeQuery()) {
                    return row.next() ? (Long) row.getLong(1) : null;
                }
            }
        });
    }

    @Override
    public List<Candidate> candidates(Change change, OutboxFilter filter) {
        return run("looking for messages", connection -> candidates.first(connection, change, filter));
    }

    @Override
    public Extent extent(Change change, OutboxFilter filter, int cap) {
        return run("counting messages", connection -> candidates.extent(connection, change, filter, cap));
    }

    /**
     * Only what no delivery holds: a row in doubt would keep the operator waiting, and its outcome is not his.
     *
     * @param opened the gates whose first message is among them
     */
    private List<MessageReference> lock(Connection connection, Change change, List<Long> found, Set<Long> opened)
            throws SQLException {
        int parameters = Statements.padded(found.size());
        try (PreparedStatement lock = connection.prepareStatement(operations.lock(change, parameters))) {
            bind(lock, found, parameters);
            List<MessageReference> free = new ArrayList<>();
            try (ResultSet rows = lock.executeQuery()) {
                while (rows.next()) {
                    free.add(new MessageReference(
                            rows.getLong("seq"),
                            rows.getString("message_id"),
                            rows.getString("event_type"),
                            rows.getString("destination"),
                            rows.getString("correlation_id"),
                            rows.getInt("attempts")));
                    // What follows it was never tried.
                    if (rows.getLong("queue_id") > Integer.MAX_VALUE
                            && !OutboxStatus.PENDING.name().equals(rows.getString("status"))) {
                        opened.add(rows.getLong("queue_id"));
                    }
                }
            }
            return free;
        }
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

    private void update(Connection connection, Change change, List<MessageReference> free) throws SQLException {
        int parameters = Statements.padded(free.size());
        try (PreparedStatement update = connection.prepareStatement(operations.change(change, parameters))) {
            bind(update, free.stream().map(MessageReference::sequence).toList(), parameters);
            int changed = update.executeUpdate();
            if (changed != free.size()) {
                throw new SQLException("%d messages were locked, but %d changed".formatted(free.size(), changed));
            }
        }
    }

    private static void bind(PreparedStatement statement, List<Long> sequences, int parameters) throws SQLException {
        for (int i = 0; i < parameters; i++) {
            statement.setLong(i + 1, sequences.get(Math.min(i, sequences.size() - 1)));
        }
    }

    @Override
    public Boolean pause(String destination, boolean paused, String who) {
        return run(paused ? "pausing" : "resuming", connection -> {
            try (PreparedStatement update = connection.prepareStatement(operations.pause)) {
                update.setInt(1, paused ? 1 : 0);
                update.setString(2, Column.fitting(who, Column.WHO));
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
    public void audit(String who, String action, String subject, int changed, List<Long> sequences) {
        run("writing the audit", connection -> {
            audit.note(connection, who, action, subject, changed, sequences);
            return null;
        });
    }

    @Override
    public List<OutboxAct> audited(int most) {
        return run("reading the audit", connection -> audit.last(connection, most));
    }

    @Override
    public List<OutboxAct> history(String messageId, int most) {
        return run("reading a message's history", connection -> audit.ofMessage(connection, messageId, most));
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

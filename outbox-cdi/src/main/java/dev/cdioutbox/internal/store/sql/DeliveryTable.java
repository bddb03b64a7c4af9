package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * Moves messages from the queue to the deliveries: the one way in which a message stops waiting, for a settlement and for an
 * operator. The number of rows that left the queue tells whether somebody else was first.
 */
public final class DeliveryTable {
    private static final int BROKER_ID_LENGTH = 255;

    private static final int DESTINATION_LENGTH = 64;

    private final Sql sql;
    private final Dialect dialect;
    private final int timeoutSeconds;
    // In these, %s is in the place of a list of sequences.
    private final String lock;
    private final String remove;
    private final String removePending;
    private final String delete;
    private final String lockDiscarded;
    private final Texts<Shape> settle;
    private final Texts<Shape> copy;
    private final Texts<Integer> publishDiscarded;

    /**
     * A statement that records an outcome.
     *
     * @param names the number of broker's ids
     */
    private record Shape(OutboxStatus status, int names) {}

    /** @param timeoutSeconds the longest wait for a locked row, in seconds */
    public DeliveryTable(Sql sql, int timeoutSeconds) {
        this.sql = sql;
        this.dialect = sql.dialect();
        this.timeoutSeconds = timeoutSeconds;
        lock = sql.lock("seq", "queue", "{is pending} AND seq IN (%s)");
        remove = sql.delete("queue", "queue_id <> 0 AND seq IN (%s)");
        removePending = remove + sql.of(" AND {is pending}");
        settle = new Texts<>(shape -> settleStatement(shape.status, shape.names));
        copy = new Texts<>(shape -> copyStatement(shape.status, shape.names));
        publishDiscarded = new Texts<>(this::publishDiscardedStatement);
        delete = sql.delete("delivery", "status > 0 AND seq IN (%s)");
        lockDiscarded = sql.lock("seq", "delivery", "status = {DISCARDED} AND seq IN (%s)");
    }

    /**
     * What became of some messages.
     *
     * @param shadow the shadow destination that got the messages, or null
     * @param brokerIds the broker's ids, by sequence; of all messages or of some
     */
    public record Outcome(OutboxStatus status, String shadow, Map<Long, String> brokerIds) {
        public Outcome(OutboxStatus status) {
            this(status, null, Map.of());
        }

        boolean isDiscarded() {
            return status == OutboxStatus.DISCARDED;
        }
    }

    /**
     * Moves messages that still wait. With {@link OutboxStatus#DISCARDED} abandoned ones too, and the caller has locked their
     * rows.
     *
     * @return the number of moved messages
     */
    public int settle(Connection connection, List<Long> sequences, Outcome outcome) throws SQLException {
        if (sequences.isEmpty()) {
            return 0;
        }
        List<Object> names = names(sequences, outcome);
        Shape shape = new Shape(outcome.status, names.size() / 2);
        if (dialect.changesWithinQuery()) {
            List<Object> parameters = new ArrayList<>(List.of(sequences));
            parameters.addAll(names);
            // An operator's transaction belongs to the application, whose statements keep their plans.
            return JdbcStatement.of(connection, settle.of(shape), parameters.toArray())
                    .behind(outcome.isDiscarded() ? null : dialect.planByIndex())
                    .within(timeoutSeconds)
                    .update();
        }
        List<Long> free = outcome.isDiscarded()
                ? sequences
                : JdbcStatement.of(connection, lock, sequences)
                        .within(timeoutSeconds)
                        .numbers();
        if (free.isEmpty()) {
            return 0;
        }
        names.add(free);
        update(connection, copy.of(shape), names);
        return update(connection, remove, List.of(free));
    }

    /** Takes messages out of the queue, and keeps nothing of them. Returns the number of those that still waited. */
    public int remove(Connection connection, List<Long> sequences) throws SQLException {
        return sequences.isEmpty()
                ? 0
                : JdbcStatement.of(connection, removePending, sequences)
                        .behind(dialect.planByIndex())
                        .within(timeoutSeconds)
                        .update();
    }

    /**
     * Locks the deliveries of messages that an operator has discarded, so that they do not change until the transaction
     * ends.
     */
    public List<Long> lockDiscarded(Connection connection, List<Long> sequences) throws SQLException {
        return JdbcStatement.of(connection, lockDiscarded, sequences)
                .within(timeoutSeconds)
                .numbers();
    }

    /** Corrects the deliveries of locked messages that an operator has discarded while they were sent. */
    public int publishDiscarded(Connection connection, List<Long> locked, Outcome outcome) throws SQLException {
        List<Object> parameters = names(locked, outcome);
        String text = publishDiscarded.of(parameters.size() / 2);
        parameters.add(locked);
        return update(connection, text, parameters);
    }

    private String publishDiscardedStatement(int names) {
        return sql.with("names", named(names)).with("shadow", shadow()).of("""
                UPDATE {delivery by key} SET status = {PUBLISHED}, settled_at = {now}, attempts = attempts + 1, last_error = NULL,
                  broker_message_id = {names}, shadow_destination = {shadow} WHERE seq IN (%s)""");
    }

    /** Deletes the deliveries of locked messages. */
    public int delete(Connection connection, List<Long> sequences) throws SQLException {
        return sequences.isEmpty() ? 0 : update(connection, delete, List.of(sequences));
    }

    /** The statement that settles messages where a query may contain changes: first the sequences, then the names. */
    public String settleStatement(OutboxStatus outcome, int names) {
        return sql.with("isPending", outcome == OutboxStatus.DISCARDED ? "" : QueueId.isPending(dialect) + " AND ")
                .with("columns", columns(outcome, names))
                .of("""
                WITH settled AS (
                  DELETE FROM {queue} WHERE {isPending}seq IN (%s) RETURNING seq, attempts, last_error)
                INSERT INTO {delivery} (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
                SELECT {columns} FROM settled""");
    }

    /** The statement that inserts the deliveries elsewhere: first the names, then the sequences. */
    public String copyStatement(OutboxStatus outcome, int names) {
        return sql.with("columns", columns(outcome, names)).of("""
                INSERT INTO {delivery} (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
                SELECT {columns} FROM {queue by key} WHERE seq IN (%s)""");
    }

    private String columns(OutboxStatus outcome, int names) {
        boolean isPublished = outcome == OutboxStatus.PUBLISHED;
        return sql.with("status", StatusCode.of(outcome))
                .with("attempts", isPublished ? "attempts + 1" : "attempts")
                .with("error", isPublished ? "NULL" : "last_error")
                .with("names", named(names))
                .with("shadow", shadow())
                .of("seq, {status}, {now}, {attempts}, {error}, {names}, {shadow}");
    }

    private String shadow() {
        return dialect.textParameter(DESTINATION_LENGTH);
    }

    private String named(int names) {
        String text = dialect.textParameter(BROKER_ID_LENGTH);
        return names == 0 ? "NULL" : "CASE seq" + (" WHEN ? THEN " + text).repeat(names) + " END";
    }

    /** Pairs of a sequence and a broker's id, and then the shadow destination. */
    private List<Object> names(List<Long> sequences, Outcome outcome) {
        List<Long> named = new ArrayList<>(sequences);
        named.retainAll(outcome.brokerIds.keySet());
        int count = named.isEmpty() ? 0 : JdbcStatement.paddedCount(named.size());
        List<Object> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Long sequence = named.get(Math.min(i, named.size() - 1));
            names.add(sequence);
            names.add(sql.texts().of(outcome.brokerIds.get(sequence), BROKER_ID_LENGTH));
        }
        names.add(outcome.shadow);
        return names;
    }

    private int update(Connection connection, String statement, List<?> parameters) throws SQLException {
        return JdbcStatement.of(connection, statement, parameters.toArray())
                .within(timeoutSeconds)
                .update();
    }
}

package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;

/**
 * Moves messages from the queue to the deliveries: the one way in which a message stops waiting, for a settlement and for an
 * operator. The number of rows that left the queue tells whether somebody else was first.
 */
public final class DeliveryTable {
    /** Moves messages on PostgreSQL. The number of moved ones tells whether all of them still waited. */
    private static final String MOVE = """
            WITH settled AS (
              DELETE FROM {queue} WHERE {is pending} AND seq IN (:sequences) RETURNING seq, attempts, last_error)
            INSERT INTO {delivery} (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
            SELECT {delivery row} FROM settled""";

    /** Elsewhere, the settlement locks those that still wait, copies them, and deletes them. */
    private static final String LOCK = """
            SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */ WHERE {is pending} AND seq IN (:sequences) FOR UPDATE""";

    private static final String COPY = """
            INSERT INTO {delivery} (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
            SELECT {delivery row} FROM {queue} /*! FORCE INDEX (PRIMARY) */ WHERE seq IN (:sequences)""";

    /** Names a column outside of the key: by a list of keys alone, MySQL reads a small table as a whole, and waits for locks. */
    public static final String DELETE = """
            DELETE /*! m */ FROM {queue} /*! m FORCE INDEX (PRIMARY) */ WHERE queue_id <> 0 AND seq IN (:sequences)""";

    /** Where nothing is kept of what was sent, each database needs one statement only. */
    private static final String DELETE_PENDING = """
            DELETE /*! m */ FROM {queue} /*! m FORCE INDEX (PRIMARY) */ WHERE {is pending} AND seq IN (:sequences)""";

    private static final String SENT =
            "seq, {PUBLISHED}, {now}, attempts + 1, NULL, {broker ids}, CAST(:shadow AS VARCHAR(64))";

    private static final String UNSENT = "seq, {status}, {now}, attempts, last_error, NULL, NULL";

    /** Corrects what an operator has discarded while it was sent. */
    private static final String PUBLISH_DISCARDED = """
            UPDATE {delivery} /*! FORCE INDEX (PRIMARY) */
            SET status = {PUBLISHED}, settled_at = {now}, attempts = attempts + 1, last_error = NULL,
              broker_message_id = {broker ids}, shadow_destination = CAST(:shadow AS VARCHAR(64)) WHERE seq IN (:sequences)""";

    private static final String LOCK_DISCARDED = """
            SELECT seq FROM {delivery} /*! FORCE INDEX (PRIMARY) */ WHERE status = {DISCARDED} AND seq IN (:sequences) FOR UPDATE""";

    /** Deletes deliveries. */
    public static final String DELETE_DELIVERIES = """
            DELETE /*! m */ FROM {delivery} /*! m FORCE INDEX (PRIMARY) */ WHERE status > 0 AND seq IN (:sequences)""";

    private static final int BROKER_ID_LENGTH = 255;

    private final Sql sql;
    private final String planByIndex;
    private final boolean isPostgresql;
    private final int timeoutSeconds;
    private final String lock;
    private final String remove;
    private final String removePending;
    private final String delete;
    private final String lockDiscarded;
    private final Texts<Shape> settle = new Texts<>(shape -> settleStatement(shape.status, shape.names));
    private final Texts<Integer> publishDiscarded = new Texts<>(this::publishDiscardedStatement);

    /**
     * A statement that records an outcome.
     *
     * @param names the number of broker's ids
     */
    private record Shape(OutboxStatus status, int names) {}

    /** @param timeoutSeconds the longest wait for a locked row, in seconds */
    public DeliveryTable(Sql sql, int timeoutSeconds) {
        this.sql = sql;
        this.planByIndex = sql.dialect().planByIndex();
        this.isPostgresql = sql.dialect() == SupportedDatabases.POSTGRESQL;
        this.timeoutSeconds = timeoutSeconds;
        lock = sql.of(LOCK);
        remove = sql.of(DELETE);
        removePending = sql.of(DELETE_PENDING);
        delete = sql.of(DELETE_DELIVERIES);
        lockDiscarded = sql.of(LOCK_DISCARDED);
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
        String text = settle.of(new Shape(outcome.status, names.size() / 2));
        if (moves(outcome.status)) {
            return statement(connection, text, sequences)
                    .set("shadow", outcome.shadow)
                    .setRepeated(names)
                    .behind(planByIndex)
                    .update();
        }
        List<Long> free = outcome.status == OutboxStatus.DISCARDED
                ? sequences
                : statement(connection, lock, sequences).numbers();
        if (free.isEmpty()) {
            return 0;
        }
        statement(connection, text, free)
                .set("shadow", outcome.shadow)
                .setRepeated(names)
                .update();
        return statement(connection, remove, free).update();
    }

    /** Takes messages out of the queue, and keeps nothing of them. Returns the number of those that still waited. */
    public int remove(Connection connection, List<Long> sequences) throws SQLException {
        return sequences.isEmpty()
                ? 0
                : statement(connection, removePending, sequences)
                        .behind(planByIndex)
                        .update();
    }

    /**
     * Locks the deliveries of messages that an operator has discarded, so that they do not change until the transaction
     * ends.
     */
    public List<Long> lockDiscarded(Connection connection, List<Long> sequences) throws SQLException {
        return statement(connection, lockDiscarded, sequences).numbers();
    }

    /** Corrects the deliveries of locked messages that an operator has discarded while they were sent. */
    public int publishDiscarded(Connection connection, List<Long> locked, Outcome outcome) throws SQLException {
        List<Object> names = names(locked, outcome);
        return statement(connection, publishDiscarded.of(names.size() / 2), locked)
                .set("shadow", outcome.shadow)
                .setRepeated(names)
                .update();
    }

    /** Deletes the deliveries of locked messages. */
    public int delete(Connection connection, List<Long> sequences) throws SQLException {
        return sequences.isEmpty()
                ? 0
                : statement(connection, delete, sequences).update();
    }

    /** The statement that inserts the deliveries, and on PostgreSQL also takes the messages out of the queue. */
    public String settleStatement(OutboxStatus outcome, int names) {
        return sql.with("broker ids", brokerIds(names))
                .with("status", StatusCode.of(outcome))
                .with("delivery row", outcome == OutboxStatus.PUBLISHED ? SENT : UNSENT)
                .of(moves(outcome) ? MOVE : COPY);
    }

    /** Not what an operator discards, which may be abandoned, and is locked already. */
    private boolean moves(OutboxStatus outcome) {
        return isPostgresql && outcome != OutboxStatus.DISCARDED;
    }

    private String publishDiscardedStatement(int names) {
        return sql.with("broker ids", brokerIds(names)).of(PUBLISH_DISCARDED);
    }

    private static String brokerIds(int names) {
        return names == 0 ? "NULL" : "CASE seq" + " WHEN ? THEN CAST(? AS VARCHAR(255))".repeat(names) + " END";
    }

    /** Pairs of a sequence and a broker's id. */
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
        return names;
    }

    private JdbcStatement statement(Connection connection, String text, List<Long> sequences) {
        return JdbcStatement.of(connection, text).set("sequences", sequences).within(timeoutSeconds);
    }
}

package dev.cdioutbox.internal.store.admin;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.audit.AuditTable;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Operators' changes to the tables. Thread-safe; each method runs in the caller's JTA transaction. */
public final class OperatorStore {
    /** In seconds. Dispatch and queue maintenance lock the rows that an operator changes for a moment only. */
    private static final int TIMEOUT_SECONDS = 30;

    private final Connections connections;
    private final String application;
    private final MessageFinder finder;
    private final BlockedKeyTable blockedKeys;
    private final AuditTable audit;
    private final ReadWatermark watermark;
    private final ControlTable control;
    private final String partition;
    private final String sequence;
    /** In this, %s is in the place of a list of sequences. */
    private final String homeless;
    /** Have the status in the condition, to skip messages that another transaction has changed since the query. */
    private final Map<MessageOperation, String> locks = new EnumMap<>(MessageOperation.class);

    private final Map<MessageOperation, String> changes = new EnumMap<>(MessageOperation.class);

    public OperatorStore(
            Connections connections,
            String application,
            String prefix,
            Dialect dialect,
            MessageFinder finder,
            BlockedKeyTable blockedKeys,
            AuditTable audit,
            ReadWatermark watermark) {
        this.connections = connections;
        this.application = application;
        this.finder = finder;
        this.blockedKeys = blockedKeys;
        this.audit = audit;
        this.watermark = watermark;
        control = new ControlTable(application, prefix, dialect);
        String message = prefix + "message";
        partition = prefix + "partition";
        sequence = "SELECT seq FROM %s WHERE message_id = ? AND application = ?".formatted(message);
        String home = """
                (SELECT p.id FROM %1$spartition p WHERE p.application = %2$s.application
                  AND p.destination = %2$s.destination AND p.partition_no = %2$s.partition_no)""".formatted(prefix, message);
        homeless = "SELECT seq FROM " + message + " WHERE " + home + " IS NULL AND seq IN (%s)";
        // A message with an expired time to live would be settled unsent. MariaDB assigns columns one after the other,
        // so the status must be last.
        changes.put(MessageOperation.RETRY, """
                expires_at = CASE WHEN status = 'FAILED' AND expires_at > %s THEN expires_at END,
                attempts = 0, available_at = NULL, queue_id = CASE WHEN %s THEN queue_id ELSE %s END,
                status = 'PENDING'""".formatted(dialect.now(), QueueId.IS_BLOCKED_KEY, home));
        changes.put(
                MessageOperation.DISCARD,
                "status = 'DISCARDED', last_attempt_at = " + dialect.now() + ", available_at = NULL, "
                        + QueueId.SETTLE);
        changes.put(MessageOperation.REPLAY, """
                status = 'PENDING', attempts = 0, available_at = NULL, expires_at = NULL, published_at = NULL,
                last_error = NULL, shadow_destination = NULL, broker_message_id = NULL, queue_id = %s""".formatted(home));
        for (MessageOperation operation : MessageOperation.values()) {
            String changeable = changeable(operation, dialect);
            // Without the partition's row, the message would wait in no queue at all.
            String hasHome = operation == MessageOperation.DISCARD ? "" : home + " IS NOT NULL AND ";
            changes.computeIfPresent(
                    operation, (same, set) -> "UPDATE " + message + " SET " + set + " WHERE " + hasHome + changeable);
            locks.put(
                    operation,
                    dialect.lockSkipLocked("seq, queue_id, status", dialect.byPrimaryKey(message), changeable));
        }
    }

    /** Excludes messages with an erased payload (outbox.retention.payload=erase), which cannot be sent again. */
    private static String changeable(MessageOperation operation, Dialect dialect) {
        String states = operation.from().stream()
                .map(state -> "'" + state + "'")
                .sorted()
                .collect(Collectors.joining(", "));
        String unerased = operation.isOfSettled()
                ? " AND NOT (payload_bytes > 0 AND %s)".formatted(dialect.isEmptyText("payload"))
                : "";
        return "status IN (" + states + ")" + unerased + " AND seq IN (%s)";
    }

    /**
     * Changes the messages among these that are not locked and whose status allows the operation.
     *
     * @return the sequences of the changed messages
     */
    public List<Long> change(MessageOperation operation, List<Long> sequences) {
        if (sequences.isEmpty()) {
            return List.of();
        }
        return connections.withConnection("changing messages", connection -> {
            Set<Long> opened = new TreeSet<>();
            List<Long> free = lock(connection, operation, sequences, opened);
            if (!free.isEmpty()) {
                if (operation != MessageOperation.DISCARD) {
                    requireHomes(connection, free);
                }
                JdbcStatement.of(connection, changes.get(operation), free)
                        .within(TIMEOUT_SECONDS)
                        .update();
            }
            // No claim reads a blocked key before it is due, but its first message waits for no retry any more.
            for (long blockedKey : opened) {
                blockedKeys.setDue(connection, blockedKey, Duration.ZERO);
            }
            return free;
        });
    }

    /** By a query: a driver may count only rows whose values change (useAffectedRows on MySQL). */
    private void requireHomes(Connection connection, List<Long> sequences) throws SQLException {
        List<Long> without = JdbcStatement.of(connection, homeless, sequences)
                .within(TIMEOUT_SECONDS)
                .numbers();
        if (!without.isEmpty()) {
            throw Problem.PARTITION_MISSING.exception(without.size(), partition);
        }
    }

    /** Lets the next claim of this node find the messages that wait again. Call this after the commit of their change. */
    public void changeCommitted() {
        watermark.querySoon();
    }

    /** Changes the oldest messages that match a filter, up to its limit. */
    public List<Long> change(MessageOperation operation, OutboxFilter filter) {
        return change(operation, changeCandidates(operation, filter));
    }

    /** The sequence of the message with an id, even if the row is unreadable; null if there is none. */
    public Long sequence(String messageId) {
        return connections.withConnection(
                "looking for a message", connection -> JdbcStatement.of(connection, sequence, messageId, application)
                        .number());
    }

    /** The sequences of the messages to which an operation would apply now: lowest first, up to the filter's limit. */
    public List<Long> changeCandidates(MessageOperation operation, OutboxFilter filter) {
        return connections.withConnection(
                "looking for messages", connection -> finder.candidates(connection, operation, filter));
    }

    /**
     * Counts the messages to which an operation would apply now.
     *
     * @param cap the highest count: counting stops there
     */
    public CandidateCount countCandidates(MessageOperation operation, OutboxFilter filter, int cap) {
        return connections.withConnection(
                "counting messages", connection -> finder.countCandidates(connection, operation, filter, cap));
    }

    /**
     * Skips rows that a delivery locks: a row in doubt would block the operator.
     *
     * @param opened receives the blocked keys whose first message is among the locked ones
     */
    private List<Long> lock(Connection connection, MessageOperation operation, List<Long> found, Set<Long> opened)
            throws SQLException {
        List<Long> free = new ArrayList<>();
        JdbcStatement.of(connection, locks.get(operation), found)
                .within(TIMEOUT_SECONDS)
                .forEach(row -> {
                    free.add(row.getLong("seq"));
                    // Only the first message of a blocked key can have a status other than pending.
                    QueueId queue = new QueueId(row.getLong("queue_id"));
                    if (queue.isBlockedKey() && !OutboxStatus.PENDING.name().equals(row.getString("status"))) {
                        opened.add(queue.value());
                    }
                });
        return free;
    }

    /**
     * Pauses or resumes a destination.
     *
     * @return whether the call changed the row; null if there is no such destination
     */
    public Boolean pause(String destination, boolean paused, String who) {
        return connections.withConnection(
                paused ? "pausing" : "resuming", connection -> control.pause(connection, destination, paused, who));
    }

    /** The audit of these operations. */
    public AuditTable audit() {
        return audit;
    }

    /**
     * @param count the number of messages
     * @param last the highest sequence among them, or in the table if counting stopped; zero if there are none
     */
    public record CandidateCount(int count, long last) {}
}

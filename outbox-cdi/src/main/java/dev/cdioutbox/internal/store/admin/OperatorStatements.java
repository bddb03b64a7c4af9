package dev.cdioutbox.internal.store.admin;

import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.store.OperatorStore.Change;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.QueueId;

/** The SQL of operators' changes, built once for a table prefix and a dialect. */
public final class OperatorStatements {
    final String pause;
    final String isPaused;
    final String paused;
    final String insertControl;
    final String sequence;
    private final String message;
    private final String waiting;
    private final Dialect dialect;
    private final Map<Change, String> locks = new EnumMap<>(Change.class);
    private final Map<Change, String> changes = new EnumMap<>(Change.class);

    public OperatorStatements(String prefix, Dialect dialect) {
        message = prefix + "message";
        String control = prefix + "control";
        waiting = dialect.byIndex(message, dialect.indexPrefix(prefix) + "message_queue");
        this.dialect = dialect;
        String home = """
                (SELECT p.id FROM %1$spartition p WHERE p.application = %2$s.application
                  AND p.destination = %2$s.destination AND p.partition_no = %2$s.partition_no)""".formatted(prefix, message);
        // A message with an expired time to live would be settled unsent. MariaDB assigns columns one after the other,
        // so the status must be last.
        changes.put(Change.RETRY, """
                expires_at = CASE WHEN status = 'FAILED' AND expires_at > %s THEN expires_at END,
                attempts = 0, available_at = NULL, queue_id = CASE WHEN %s THEN queue_id ELSE %s END,
                status = 'PENDING'""".formatted(dialect.now(), QueueId.IS_BLOCKED_KEY, home));
        changes.put(
                Change.DISCARD,
                "status = 'DISCARDED', last_attempt_at = " + dialect.now() + ", available_at = NULL, "
                        + QueueId.SETTLE);
        changes.put(Change.REPLAY, """
                status = 'PENDING', attempts = 0, available_at = NULL, expires_at = NULL, published_at = NULL,
                last_error = NULL, shadow_destination = NULL, broker_message_id = NULL, queue_id = %s""".formatted(home));
        changes.replaceAll(
                (change, set) -> "UPDATE " + message + " SET " + set + " WHERE " + changeable(change, dialect));
        for (Change change : Change.values()) {
            locks.put(
                    change,
                    dialect.lockSkipLocked(
                            "seq, message_id, event_type, destination, correlation_id, attempts, queue_id, status",
                            dialect.byPrimaryKey(message),
                            changeable(change, dialect)));
        }
        pause =
                "UPDATE %s SET paused = ?, changed_by = ?, changed_at = %s WHERE application = ? AND destination = ? AND paused = ?"
                        .formatted(control, dialect.now());
        isPaused = "SELECT paused FROM %s WHERE application = ? AND destination = ?".formatted(control);
        paused = "SELECT destination FROM %s WHERE application = ? AND paused = 1".formatted(control);
        sequence = "SELECT seq FROM %s WHERE message_id = ? AND application = ?".formatted(message);
        insertControl = "INSERT INTO %s (application, destination) VALUES (?, ?)".formatted(control);
    }

    /** Selects the lowest sequences that meet conditions; the last parameter is the limit. */
    String candidates(QueryConditions conditions) {
        return "SELECT seq, payload_bytes FROM %s WHERE %s ORDER BY %s %s"
                .formatted(
                        conditions.isByQueue() ? waiting : message,
                        conditions,
                        conditions.sequence(),
                        dialect.limit("?"));
    }

    /**
     * Counts up to a limit, the last parameter, and returns the highest counted sequence. Counts in the order of the
     * index, so that the database reads no other rows.
     */
    String countCandidates(QueryConditions conditions) {
        return "SELECT COUNT(*), MAX(w.seq) FROM (SELECT seq FROM %s WHERE %s ORDER BY %s %s) w"
                .formatted(
                        conditions.isByQueue() ? waiting : message,
                        conditions,
                        conditions.isByQueue() ? "queue_id, seq" : "seq DESC",
                        dialect.limit("?"));
    }

    /** Has the status in the condition, to skip messages that another transaction has changed since the query. */
    String lock(Change change) {
        return locks.get(change);
    }

    String change(Change change) {
        return changes.get(change);
    }

    private static String changeable(Change change, Dialect dialect) {
        return "status IN (" + states(change) + ")" + unless(change, dialect) + " AND seq IN (%s)";
    }

    /** Excludes messages with an erased payload (outbox.retention.payload=erase), which cannot be sent again. */
    private static String unless(Change change, Dialect dialect) {
        return change == Change.REPLAY
                ? " AND NOT (payload_bytes > 0 AND %s)".formatted(dialect.isEmptyText("payload"))
                : "";
    }

    private static String states(Change change) {
        return change.from().stream().map(state -> "'" + state + "'").sorted().collect(Collectors.joining(", "));
    }
}

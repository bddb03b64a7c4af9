package dev.cdioutbox.internal.store;

import java.util.Collections;
import java.util.List;

/** The SQL of gates, built once for a table prefix and a dialect. */
final class GateStatements {
    /** So many rows at the beginning of a partition are looked at when followers are moved behind their gates. */
    static final int MOVED_AT_ONCE = 1000;

    final String followers;
    final String remove;
    final String correct;
    final String waiting;
    final String steered;
    final String partition;
    final String postpone;
    final String insert;
    final String find;
    final String wake;
    private final String due;
    private final String lock;
    private final String emptied;
    private final String lockFollowers;
    private final String move;

    /** @param floors whether gates are looked for after a time, which then is the second parameter of each partition */
    GateStatements(String prefix, Dialect dialect, boolean floors) {
        String message = prefix + "message";
        String gate = prefix + "gate";
        due = dialect.part("""
                SELECT id, queue_id, message_key FROM %s WHERE queue_id = ? %sAND due_at <= %s
                 ORDER BY queue_id, due_at %s""".formatted(
                        gate, floors ? "AND due_at > CAST(? AS TIMESTAMPTZ) " : "", dialect.now(), dialect.first("?")));
        lock = dialect.lockFree("id", dialect.byKey(gate), "id IN (%s)");
        emptied = "SELECT g.id FROM %s g WHERE g.id IN ".formatted(gate) + "(%s)"
                + " AND NOT EXISTS (SELECT 1 FROM %s m WHERE m.queue_id = g.id)".formatted(message);
        remove = "DELETE FROM %1$s WHERE id = ? AND NOT EXISTS (SELECT 1 FROM %2$s m WHERE m.queue_id = %1$s.id)"
                .formatted(gate, message);
        // An operator may have come between the look and the lock: then nothing is behind it, or what is due at once.
        correct = """
                UPDATE %1$s SET due_at = (SELECT CASE WHEN m.status = 'ABANDONED' THEN %4$s ELSE COALESCE(m.available_at, %5$s) END
                  FROM %2$s m WHERE m.queue_id = %1$s.id ORDER BY m.queue_id, m.seq %3$s)
                WHERE id = ? AND EXISTS (SELECT 1 FROM %2$s n WHERE n.queue_id = %1$s.id)""".formatted(gate, message, dialect.first("1"), dialect.never(), dialect.now());
        followers = """
                SELECT m.seq, g.id FROM (SELECT seq, queue_id, message_key, not_before FROM %s WHERE queue_id = ? AND seq > ?
                  ORDER BY queue_id, seq %s) m
                JOIN %s g ON g.queue_id = m.queue_id AND g.message_key = m.message_key
                WHERE m.not_before IS NULL ORDER BY m.seq""".formatted(message, dialect.first(String.valueOf(MOVED_AT_ONCE)), gate);
        String queue = dialect.unsought("queue_id");
        lockFollowers = dialect.lockFree("seq", dialect.byKey(message), queue + " = ? AND seq IN (%s)");
        move = "UPDATE " + dialect.byKey(message) + " SET queue_id = ? WHERE " + queue + " = ? AND seq IN (%s)";
        waiting = dialect.lock(
                "queue_id, attempts, destination, CASE WHEN not_before IS NULL THEN message_key END AS ordering_key",
                dialect.byKey(message),
                queue + " > 0 AND seq = ?");
        steered = dialect.lock(
                "seq",
                dialect.byKey(message),
                "seq = ? AND (queue_id IS NULL AND status = 'DISCARDED' OR queue_id > 0 AND attempts < ?)");
        partition = "SELECT queue_id FROM " + gate + " WHERE id = ?";
        String dueAt = dialect.never().equals("NULL")
                ? dialect.nowPlusMillis()
                : "COALESCE(%s, %s)".formatted(dialect.nowPlusMillis(), dialect.never());
        postpone = "UPDATE %s SET due_at = %s WHERE id = ?".formatted(gate, dueAt);
        insert = "INSERT INTO " + gate + " (due_at, queue_id, message_key) " + dialect.row(dueAt + ", ?, ?");
        find = "SELECT id FROM %s WHERE queue_id = ? AND message_key = ?".formatted(gate);
        wake = "UPDATE %s SET due_at = %s WHERE id = ?".formatted(gate, dialect.now());
    }

    /** Every column is asked for, without reading a row. */
    static List<String> shape(String prefix) {
        return List.of("SELECT id, queue_id, message_key, due_at FROM %sgate WHERE 1 = 0".formatted(prefix));
    }

    /** Of each partition, the gates that are due longest. */
    String due(int partitions) {
        return String.join(" UNION ALL ", Collections.nCopies(partitions, due));
    }

    String emptied(int parameters) {
        return emptied.formatted(Statements.marks(parameters));
    }

    String lock(int parameters) {
        return lock.formatted(Statements.marks(parameters));
    }

    String lockFollowers(int parameters) {
        return lockFollowers.formatted(Statements.marks(parameters));
    }

    String move(int parameters) {
        return move.formatted(Statements.marks(parameters));
    }
}

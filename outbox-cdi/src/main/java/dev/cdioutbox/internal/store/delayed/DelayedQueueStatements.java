package dev.cdioutbox.internal.store.delayed;

import dev.cdioutbox.internal.store.dialect.Dialect;

/** The SQL that releases delayed messages, built once for a table prefix and a dialect. */
public final class DelayedQueueStatements {
    /** In messages: the batch of one short transaction. */
    static final int BATCH_SIZE = 1000;

    /** Moves the due messages and returns them; null on databases where an update locks more than it changes. */
    public final String release;
    /** Finds the due messages, locked or not; null if {@link #release} is not. */
    public final String due;
    /**
     * The number of first parameters of {@link #due} or {@link #release}: each is the id of the queue of delayed
     * messages.
     */
    public final int queueParameters;

    /** Locks the due messages of a list. */
    final String lock;

    /** Moves the messages of a list. */
    final String move;

    public DelayedQueueStatements(String prefix, Dialect dialect) {
        boolean updates = dialect.locksOnlyReturnedRows();
        String message = prefix + "message";
        String isDue = "available_at <= " + dialect.now();
        String unsought = dialect.withoutIndex("queue_id");
        String update = """
                UPDATE %3$s SET available_at = NULL, queue_id = (SELECT p.id FROM %2$spartition p
                  WHERE p.application = %1$s.application AND p.destination = %1$s.destination
                    AND p.partition_no = %1$s.partition_no)
                WHERE %4$s = ? AND %5$s""";
        String first = dialect.limitDue(message, isDue, BATCH_SIZE);
        release = updates
                ? update.formatted(message, prefix, message, unsought, first) + " RETURNING seq, queue_id"
                : null;
        due = updates ? null : "SELECT seq FROM " + message + " WHERE queue_id = ? AND " + first;
        queueParameters =
                (int) (updates ? release : due).chars().filter(c -> c == '?').count();
        lock = updates
                ? null
                : dialect.lockSkipLocked(
                        "seq", dialect.byPrimaryKey(message), unsought + " = ? AND " + isDue + " AND seq IN (%s)");
        move = updates
                ? null
                : update.formatted(message, prefix, dialect.byPrimaryKey(message), unsought, "seq IN (%s)");
    }
}

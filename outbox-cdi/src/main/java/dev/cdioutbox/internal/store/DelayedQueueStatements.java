package dev.cdioutbox.internal.store;

/** The SQL that releases delayed messages, built once for a table prefix and a dialect. */
final class DelayedQueueStatements {
    /** So many become due in one short transaction. */
    static final int BATCH_SIZE = 1000;

    /** Moves the due messages and returns them; null without read watermarks. */
    final String release;
    /**
     * Finds the due messages, locked or not; null with read watermarks, as are the statements that lock and move them.
     */
    final String due;
    /** Of {@link #due}, or of {@link #release}: each of the first parameters is the id of the queue in which delayed messages wait. */
    final int queueParameters;

    private final String lock;
    private final String move;

    /**
     * @param watermarks whether the moved messages are returned
     */
    DelayedQueueStatements(String prefix, Dialect dialect, boolean watermarks) {
        String message = prefix + "message";
        String isDue = "available_at <= " + dialect.now();
        String unsought = dialect.withoutIndex("queue_id");
        String update = """
                UPDATE %3$s SET available_at = NULL, queue_id = (SELECT p.id FROM %2$spartition p
                  WHERE p.application = %1$s.application AND p.destination = %1$s.destination
                    AND p.partition_no = %1$s.partition_no)
                WHERE %4$s = ? AND %5$s""";
        String first = dialect.limitDue(message, isDue, BATCH_SIZE);
        release = watermarks
                ? update.formatted(message, prefix, message, unsought, first) + " RETURNING seq, queue_id"
                : null;
        due = watermarks ? null : "SELECT seq FROM " + message + " WHERE queue_id = ? AND " + first;
        queueParameters =
                (int) (watermarks ? release : due).chars().filter(c -> c == '?').count();
        lock = watermarks
                ? null
                : dialect.lockSkipLocked(
                        "seq", dialect.byPrimaryKey(message), unsought + " = ? AND " + isDue + " AND seq IN (%s)");
        move = watermarks
                ? null
                : update.formatted(message, prefix, dialect.byPrimaryKey(message), unsought, "seq IN (%s)");
    }

    String lock(int parameters) {
        return lock.formatted(OutboxStatements.placeholders(parameters));
    }

    String move(int parameters) {
        return move.formatted(OutboxStatements.placeholders(parameters));
    }
}

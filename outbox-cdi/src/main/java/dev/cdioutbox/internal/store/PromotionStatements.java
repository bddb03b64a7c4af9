package dev.cdioutbox.internal.store;

/** The SQL that lets delayed messages become due, built once for a table prefix and a dialect. */
final class PromotionStatements {
    /** So many become due in one short transaction. */
    static final int AT_ONCE = 1000;

    /** Moves them at once, and tells of them; null without floors. */
    final String promote;
    /** Finds them, whoever holds them; null with floors, as are those that lock and move what was found. */
    final String due;
    /** Of {@link #due}, or of {@link #promote}: each of the first parameters is the id of the queue in which delayed messages wait. */
    final int queues;

    private final String lock;
    private final String move;

    /** @param floors whether the last parameter is a time after which is looked, and what was moved is told */
    PromotionStatements(String prefix, Dialect dialect, boolean floors) {
        String message = prefix + "message";
        String isDue = "available_at <= " + dialect.now();
        String unsought = dialect.unsought("queue_id");
        String update = """
                UPDATE %3$s SET available_at = NULL, queue_id = (SELECT p.id FROM %2$spartition p
                  WHERE p.application = %1$s.application AND p.destination = %1$s.destination
                    AND p.partition_no = %1$s.partition_no)
                WHERE %4$s = ? AND %5$s""";
        String after = isDue + " AND available_at > CAST(? AS TIMESTAMPTZ)";
        String first = dialect.firstDue(message, floors ? after : isDue, AT_ONCE);
        promote = floors
                ? update.formatted(message, prefix, message, unsought, first) + " RETURNING seq, queue_id"
                : null;
        due = floors ? null : "SELECT seq FROM " + message + " WHERE queue_id = ? AND " + first;
        int parameters =
                (int) (floors ? promote : due).chars().filter(c -> c == '?').count();
        queues = floors ? parameters - 1 : parameters;
        lock = floors
                ? null
                : dialect.lockFree("seq", dialect.byKey(message), unsought + " = ? AND " + isDue + " AND seq IN (%s)");
        move = floors ? null : update.formatted(message, prefix, dialect.byKey(message), unsought, "seq IN (%s)");
    }

    String lock(int parameters) {
        return lock.formatted(Statements.marks(parameters));
    }

    String move(int parameters) {
        return move.formatted(Statements.marks(parameters));
    }
}

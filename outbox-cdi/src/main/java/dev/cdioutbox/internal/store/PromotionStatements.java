package dev.cdioutbox.internal.store;

/** The SQL that lets delayed messages become due, built once for a table prefix and a dialect. */
final class PromotionStatements {
    /** So many become due in one short transaction. */
    static final int AT_ONCE = 1000;

    final String promote;
    /** Each of the first parameters is the id of the queue in which delayed messages wait. */
    final int queues;

    /** @param floors whether the last parameter is a time after which is looked, and what was moved is told */
    PromotionStatements(String prefix, Dialect dialect, boolean floors) {
        String message = prefix + "message";
        String due = "available_at <= " + dialect.now();
        String update = """
                UPDATE %1$s SET available_at = NULL, queue_id = (SELECT p.id FROM %2$spartition p
                  WHERE p.application = %1$s.application AND p.destination = %1$s.destination
                    AND p.partition_no = %1$s.partition_no)
                WHERE %4$s = ? AND %3$s""";
        String all = update.formatted(message, prefix, dialect.firstDue(message, due, AT_ONCE), "queue_id");
        queues = (int) all.chars().filter(c -> c == '?').count();
        String after = due + " AND available_at > CAST(? AS TIMESTAMPTZ)";
        promote = floors
                ? update.formatted(
                                message,
                                prefix,
                                dialect.firstDue(message, after, AT_ONCE),
                                dialect.unsought("queue_id"))
                        + " RETURNING seq, queue_id"
                : all;
    }
}

package dev.cdioutbox.internal.store.admin;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.QueueId;

/** The SQL that finds messages, built once for a table prefix and a dialect. */
public final class MessageFinderStatements {
    final String highestShadowed;
    public final String countWaiting;
    public final String scanWindow;
    public final String rowBelow;
    private final String columns;
    private final String columnsWithoutPayload;
    private final String message;
    private final String waiting;
    private final Dialect dialect;

    public MessageFinderStatements(String prefix, Dialect dialect) {
        message = prefix + "message";
        waiting = dialect.byIndex(message, dialect.indexPrefix(prefix) + "message_queue");
        columns = MessageColumn.selected(dialect);
        columnsWithoutPayload = columns.replaceFirst("\\bpayload,", "'' AS payload,");
        this.dialect = dialect;
        // Scans from the end of the primary key: the last shadowed message is among the newest.
        highestShadowed = """
                SELECT seq FROM %s WHERE application = ? AND destination = ? AND shadow_destination IS NOT NULL
                ORDER BY seq DESC %s""".formatted(message, dialect.limit("1"));
        countWaiting = """
                SELECT COUNT(*) FROM (SELECT queue_id FROM %s WHERE %s
                  ORDER BY queue_id %s) w""".formatted(message, QueueId.IS_IN_INDEX, dialect.limit("?"));
        scanWindow = """
                SELECT MIN(w.seq) AS lowest, COUNT(*) AS looked_at FROM (
                  SELECT seq FROM %s WHERE seq < ? AND seq > ? ORDER BY seq DESC %s) w""".formatted(message, dialect.limit("?"));
        rowBelow = "SELECT seq, %s AS created_at FROM %s WHERE seq < ? ORDER BY seq DESC %s"
                .formatted(dialect.selectTime("created_at"), message, dialect.limit("1"));
    }

    /**
     * Selects the newest messages that meet conditions; the last parameter is the limit.
     *
     * @param payloads whether to read payloads
     */
    public String find(QueryConditions conditions, boolean payloads) {
        return "SELECT %s FROM %s WHERE %s ORDER BY %s DESC %s"
                .formatted(
                        payloads ? columns : columnsWithoutPayload,
                        conditions.isByQueue() ? waiting : message,
                        conditions,
                        conditions.sequence(),
                        dialect.limit("?"));
    }
}

package dev.cdioutbox.internal.store.operate;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * What the tables say of messages that have crashed their processes. Both questions are asked again while a destination is stopped
 * and its messages pile up, so they read a limited number of rows. What they do not see makes nothing unsafe: without a delivery
 * in sight, the destination stops at the next crashing message in place of skipping it; without the message that stops
 * the destination in sight, other messages are sent until a claim meets this message and stops again.
 * Thread-safe; each method runs in any transaction of the caller.
 */
public final class CrashHistory {
    /** In rows, for each part of a question. */
    private static final int ROWS_READ = 10_000;

    private static final int TIMEOUT_SECONDS = 30;

    private final Connections connections;
    private final String application;
    private final String planByIndex;
    private final String crashedSinceDelivery;
    private final String stoppedBy;

    public CrashHistory(Connections connections, String application, Sql tables) {
        this.connections = connections;
        this.application = application;
        planByIndex = tables.dialect().planByIndex();
        Sql sql = tables.with("crashed", OutboxCode.CRASHED_ITS_PROCESS.code())
                .with("stopped", OutboxCode.CRASHES_STOP_DESTINATION.code())
                .with("delayed", PartitionIds.DELAYED)
                .with("its seq", "CASE WHEN q.status = {FAILED} AND q.last_error LIKE '{stopped}%' THEN q.seq END")
                .with("rows read", ROWS_READ);
        crashedSinceDelivery = sql.of("""
                SELECT c.seq FROM (
                    SELECT q.seq, q.last_attempt_at FROM {partition} p
                    JOIN {queue} q /*! FORCE INDEX ({index}queue_order) */ ON q.queue_id = -p.id
                    WHERE p.application = :application AND p.destination = :destination AND q.last_error LIKE '{crashed}%'
                    ORDER BY q.last_attempt_at DESC FETCH FIRST 1 ROWS ONLY) c
                WHERE NOT EXISTS (
                  SELECT 1 FROM (SELECT s.seq, s.status, s.settled_at FROM {delivery} s
                    ORDER BY s.seq DESC FETCH FIRST {rows read} ROWS ONLY) n
                  WHERE CASE WHEN n.status = {PUBLISHED} AND n.settled_at > c.last_attempt_at THEN
                    (SELECT m.seq FROM {message} m /*! FORCE INDEX (PRIMARY) */ WHERE m.seq = n.seq
                      AND m.application = :application AND m.destination = :destination) END IS NOT NULL)""");
        // A message whose attempt has failed is the first of a blocked key, or it is delayed.
        stoppedBy = sql.of("""
                SELECT s.seq FROM (
                    SELECT (SELECT {its seq} FROM {queue} q /*! FORCE INDEX ({index}queue_order) */
                      WHERE q.queue_id = g.id AND q.status <> {ABANDONED}
                      ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) AS seq
                    FROM (SELECT b.id FROM {partition} p JOIN {blocked_key} b ON b.partition_id = p.id + 0
                      WHERE p.application = :application AND p.destination = :destination FETCH FIRST {rows read} ROWS ONLY) g
                  UNION ALL
                    SELECT d.seq FROM (SELECT {its seq} AS seq FROM {partition} p
                      JOIN {queue} q /*! FORCE INDEX ({index}queue_due) */ ON q.queue_id = p.id AND q.available_at IS NOT NULL
                      WHERE p.application = :application AND p.destination = :destination AND p.partition_no = {delayed}
                      FETCH FIRST {rows read} ROWS ONLY) d) s
                WHERE s.seq IS NOT NULL ORDER BY s.seq FETCH FIRST 1 ROWS ONLY""");
    }

    /**
     * The last message that was abandoned and skipped because it crashed its processes, if it cannot be seen that anything was
     * delivered to the destination since; or null.
     */
    public Long crashedSinceDelivery(String destination) {
        return ask(crashedSinceDelivery, destination);
    }

    /** The first message that stops the destination, because it crashes its processes as well; or null. */
    public Long stoppedBy(String destination) {
        return ask(stoppedBy, destination);
    }

    private Long ask(String question, String destination) {
        return connections.withConnection("looking for crashes", connection -> JdbcStatement.of(connection, question)
                .set("application", application)
                .set("destination", destination)
                .behind(planByIndex)
                .within(TIMEOUT_SECONDS)
                .number());
    }
}

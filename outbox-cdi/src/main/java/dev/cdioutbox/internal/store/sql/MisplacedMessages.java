package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Moves the waiting messages that are in no queue of their partition, since its row was deleted and has another id now.
 *
 * <table>
 * <caption>Which queues are right for a message ({@link QueueId} has the values)</caption>
 * <tr><th>queue</th><th>is right</th></tr>
 * <tr><td>that of its partition, or the negative id</td><td>always</td></tr>
 * <tr><td>that of the delayed messages of its destination</td><td>always: {@code DelayedMessages} takes it from there</td></tr>
 * <tr><td>that of a blocked key</td><td>if its partition is that of the message</td></tr>
 * </table>
 *
 * <p>From any other queue, a message moves to that of its partition, or to the delayed messages if it waits for a time and
 * holds up no key.
 */
final class MisplacedMessages {
    /** In messages: the most that one statement moves. */
    private static final int BATCH_SIZE = 1000;

    private final String application;
    private final String find;
    // In these, %s is in the place of a list of sequences.
    private final String lock;
    private final String move;

    MisplacedMessages(String application, Sql sql) {
        this.application = application;
        Sql own = sql.with("delayed", PartitionIds.DELAYED)
                .with(
                        "home",
                        sql.of(
                                "FROM {partition} h WHERE h.application = m.application AND h.destination = m.destination"));
        String isMisplaced = own.of("""
                EXISTS (SELECT 1 FROM {message} m WHERE m.seq = q.seq AND m.application = ?
                  AND EXISTS (SELECT 1 {home} AND h.partition_no = m.partition_no AND h.id <> q.queue_id AND h.id <> -q.queue_id)
                  AND NOT EXISTS (SELECT 1 {home} AND h.partition_no = {delayed} AND h.id = q.queue_id)
                  AND NOT EXISTS (SELECT 1 FROM {blocked_key} b WHERE b.id = q.queue_id
                    AND b.partition_id IN (SELECT h.id {home} AND h.partition_no = m.partition_no)))""");
        find = own.of("SELECT q.seq FROM {queue q by queue_order} WHERE ") + isMisplaced + " ORDER BY q.seq";
        lock = own.lockSkipLocked("q.seq", "queue q", isMisplaced + " AND q.seq IN (%s)");
        // A failed message of a key that was blocked holds its key in the partition, too.
        move = own.of("""
                UPDATE {queue by key} SET queue_id = CASE WHEN queue_id < 0 THEN -1 ELSE 1 END * (
                  SELECT h.id FROM {message} m JOIN {partition} h
                    ON h.application = m.application AND h.destination = m.destination AND h.partition_no =
                      CASE WHEN {queue}.available_at IS NOT NULL AND (m.not_before IS NOT NULL OR m.message_key IS NULL)
                        THEN {delayed} ELSE m.partition_no END
                  WHERE m.seq = {queue}.seq)
                WHERE seq IN (%s)""");
    }

    /**
     * Leaves rows that other transactions lock: a delivery settles them, or the next check moves them.
     *
     * @return the number of moved messages
     */
    int move(Connection connection) throws SQLException {
        List<Long> found = JdbcStatement.of(connection, find, application).numbers();
        int moved = 0;
        for (int from = 0; from < found.size(); from += BATCH_SIZE) {
            List<Long> batch = found.subList(from, Math.min(found.size(), from + BATCH_SIZE));
            List<Long> free =
                    JdbcStatement.of(connection, lock, application, batch).numbers();
            moved += free.isEmpty()
                    ? 0
                    : JdbcStatement.of(connection, move, free).update();
        }
        return moved;
    }
}

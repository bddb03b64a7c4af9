package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.sql.DamagedRow;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.StatusCode;

/**
 * Writes the retry of a message, or that it is abandoned. The message moves to the queue where it waits from then on:
 *
 * <table>
 * <caption>The first row that applies</caption>
 * <tr><th>the message</th><th>waits in</th></tr>
 * <tr><td>is abandoned, and does not block its key</td><td>the negative queue of its partition, which no claim reads</td></tr>
 * <tr><td>is in the queue of a blocked key</td><td>that queue, which gets the due time of the retry</td></tr>
 * <tr><td>has an ordering key</td><td>the queue of this key, which is blocked from now on</td></tr>
 * <tr><td>has none</td><td>the queue of the delayed messages</td></tr>
 * </table>
 *
 * <p>Thread-safe.
 */
public final class RetryWriter {
    private static final int ERROR_LENGTH = 2000;

    private final ColumnText texts;
    private final BlockedKeyTable blockedKeys;
    private final PartitionIds partitions;
    private final DeliveryTable deliveries;
    private final String planByIndex;
    private final String lockPending;
    private final String scheduleRetry;
    private final String lockRetried;

    public RetryWriter(Sql sql, BlockedKeyTable blockedKeys, PartitionIds partitions, DeliveryTable deliveries) {
        this.texts = sql.texts();
        this.blockedKeys = blockedKeys;
        this.partitions = partitions;
        this.deliveries = deliveries;
        planByIndex = sql.dialect().planByIndex();
        // Subqueries, because a join would lock the row of the message, too.
        lockPending = sql.of("""
                SELECT queue_id, attempts, (SELECT m.destination FROM {message} m WHERE m.seq = q.seq) AS destination,
                  (SELECT m.partition_id FROM {message} m WHERE m.seq = q.seq) AS home,
                  (SELECT CASE WHEN m.not_before IS NULL THEN m.message_key END FROM {message} m
                    WHERE m.seq = q.seq) AS ordering_key
                FROM {queue} q /*! FORCE INDEX (PRIMARY) */ WHERE {is pending} AND q.seq = :sequence FOR UPDATE""");
        scheduleRetry = sql.of("""
                UPDATE {queue} SET status = :status, attempts = :attempts, last_attempt_at = {now}, last_error = :error,
                  available_at = {now + :delay}, queue_id = :queue WHERE {is pending} AND seq = :sequence""");
        lockRetried = sql.of("""
                SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */
                WHERE {is pending} AND seq = :sequence AND attempts < :attempts FOR UPDATE""");
    }

    /** @return the number of rows updated: 0 if the message has changed since the claim read it */
    int write(Connection connection, Retry retry) throws SQLException {
        WaitingRow row = lock(connection, retry.sequence());
        if (row == null || !retry.appliesTo(row.attempts)) {
            return 0;
        }
        QueueId queue = nextQueue(connection, retry, row);
        return statement(connection, scheduleRetry, retry)
                .set("status", StatusCode.of(retry.status()))
                .set("attempts", retry.attempts())
                .set("error", texts.of(retry.error(), ERROR_LENGTH))
                .set("delay", retry.delay() == null ? null : retry.delay().toMillis())
                .set("queue", queue.value())
                .update();
    }

    /** Null if the message does not wait any more. */
    private WaitingRow lock(Connection connection, long sequence) throws SQLException {
        return JdbcStatement.of(connection, lockPending)
                .set("sequence", sequence)
                .behind(planByIndex)
                .within(JdbcStatement.LOCK_WAIT_SECONDS)
                .first(WaitingRow::of);
    }

    private QueueId nextQueue(Connection connection, Retry retry, WaitingRow row) throws SQLException {
        if (retry.status() == OutboxStatus.ABANDONED && !(retry.blocksKey() && row.key != null)) {
            return row.home.abandoned();
        }
        if (row.queue.isBlockedKey()) {
            blockedKeys.setDue(connection, row.queue.value(), retry.delay());
            return row.queue;
        }
        return new QueueId(
                row.key == null
                        ? partitions.id(row.destination, PartitionIds.DELAYED)
                        : blockedKeys.block(connection, row.queue.value(), row.key, retry.delay()));
    }

    /** Whether an operator has discarded the message or reset its attempts since the claim. */
    boolean isChangedByOperator(Connection connection, Retry retry) throws SQLException {
        return !deliveries.lockDiscarded(connection, List.of(retry.sequence())).isEmpty()
                || statement(connection, lockRetried, retry)
                                .set("attempts", retry.attemptsBefore())
                                .number()
                        != null;
    }

    private JdbcStatement statement(Connection connection, String text, Retry retry) {
        return JdbcStatement.of(connection, text)
                .set("sequence", retry.sequence())
                .within(JdbcStatement.LOCK_WAIT_SECONDS);
    }

    /**
     * A waiting message as it is locked. It may be unreadable, as it was for the claim.
     *
     * @param home the partition of the message; where it waits if the row of the message is missing
     * @param key the ordering key in its stored encoding, which the row of a blocked key has as well; null without one
     */
    private record WaitingRow(QueueId queue, int attempts, QueueId home, String destination, String key) {
        static WaitingRow of(ResultSet row) throws SQLException {
            long queue = row.getLong("queue_id");
            long home = row.getLong("home");
            return new WaitingRow(
                    new QueueId(queue),
                    DamagedRow.number(row, "attempts"),
                    new QueueId(home == 0 ? queue : home),
                    row.getString("destination"),
                    DamagedRow.text(row, "ordering_key"));
        }
    }
}

package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.sql.BlockedKeyTable;
import dev.cdioutbox.internal.store.sql.DeliveryTable;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.StatusCode;

/**
 * Writes the retry of a message, or that it is abandoned. Moves a message whose followers must wait to the queue of its
 * blocked key, which it inserts if necessary, and other messages with a retry to the delayed ones.
 */
public final class RetryWriter {
    private static final int ERROR_LENGTH = 2000;

    private final ColumnText texts;
    private final BlockedKeyTable blockedKeys;
    private final PartitionIds partitions;
    private final int timeoutSeconds;
    private final String planByIndex;
    private final String lockPending;
    private final String lockRetried;
    private final DeliveryTable deliveries;
    private final String scheduleRetry;

    /** @param timeoutSeconds the longest wait for a locked row */
    public RetryWriter(
            Sql sql,
            BlockedKeyTable blockedKeys,
            PartitionIds partitions,
            DeliveryTable deliveries,
            int timeoutSeconds) {
        this.texts = sql.texts();
        this.blockedKeys = blockedKeys;
        this.partitions = partitions;
        this.deliveries = deliveries;
        this.timeoutSeconds = timeoutSeconds;
        planByIndex = sql.dialect().planByIndex();
        lockPending = sql.of("""
                SELECT queue_id, attempts, (SELECT m.destination FROM {message} m WHERE m.seq = q.seq) AS destination,
                  (SELECT m.partition_id FROM {message} m WHERE m.seq = q.seq) AS home,
                  (SELECT CASE WHEN m.not_before IS NULL THEN m.message_key END FROM {message} m
                    WHERE m.seq = q.seq) AS ordering_key
                FROM {queue} q /*! FORCE INDEX (PRIMARY) */ WHERE {is pending} AND q.seq = :sequence FOR UPDATE""");
        lockRetried = sql.of("""
                SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */
                WHERE {is pending} AND seq = :sequence AND attempts < :attempts FOR UPDATE""");
        scheduleRetry = sql.of("""
                UPDATE {queue} SET status = :status, attempts = :attempts, last_attempt_at = {now}, last_error = :error,
                  available_at = {now + :delay}, queue_id = :queue WHERE {is pending} AND seq = :sequence""");
    }

    /** @return the number of rows updated: 0 if another node has changed the message since this claim read it */
    int scheduleRetry(Connection connection, Retry retry) throws SQLException {
        QueueId queue = JdbcStatement.of(connection, lockPending)
                .set("sequence", retry.sequence())
                .behind(planByIndex)
                .within(timeoutSeconds)
                .first(row -> retry.appliesTo(row.getInt("attempts")) ? prepareQueue(connection, retry, row) : null);
        return queue == null
                ? 0
                : JdbcStatement.of(connection, scheduleRetry)
                        .set("status", StatusCode.of(retry.status()))
                        .set("attempts", retry.attempts())
                        .set("error", texts.of(retry.error(), ERROR_LENGTH))
                        .set(
                                "delay",
                                retry.delay() == null ? null : retry.delay().toMillis())
                        .set("queue", queue.value())
                        .set("sequence", retry.sequence())
                        .within(timeoutSeconds)
                        .update();
    }

    /** Whether an operator has discarded the message or reset its attempts since the claim. */
    boolean isChangedByOperator(Connection connection, Retry retry) throws SQLException {
        return !deliveries.lockDiscarded(connection, List.of(retry.sequence())).isEmpty()
                || JdbcStatement.of(connection, lockRetried)
                                .set("sequence", retry.sequence())
                                .set("attempts", retry.attemptsBefore())
                                .within(timeoutSeconds)
                                .number()
                        != null;
    }

    /** The queue into which the message moves. Locks the row of a blocked key, and inserts it if necessary. */
    private QueueId prepareQueue(Connection connection, Retry retry, ResultSet row) throws SQLException {
        QueueId now = new QueueId(row.getLong("queue_id"));
        // The key in its stored encoding, which the blocked-key row has too.
        String key = row.getString("ordering_key");
        // An unreadable row may have no key. No message waits for such a row, so the row must not block.
        boolean holds = retry.blocksKey() && key != null;
        if (retry.status() == OutboxStatus.ABANDONED && !holds) {
            long home = row.getLong("home");
            // An unreadable row may have no message.
            return (home == 0 ? now : new QueueId(home)).abandoned();
        }
        if (now.isBlockedKey()) {
            blockedKeys.setDue(connection, now.value(), retry.delay());
            return now;
        }
        return new QueueId(
                key == null
                        ? partitions.id(row.getString("destination"), PartitionIds.DELAYED)
                        : blockedKeys.block(connection, now.value(), key, retry.delay()));
    }
}

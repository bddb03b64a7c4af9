package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyStatements;
import dev.cdioutbox.internal.store.sql.ColumnText;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.OutboxStatements;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.QueueId;

/**
 * Schedules the retry of a message. Moves a message with an ordering key to the queue of its blocked key, and inserts
 * that row if necessary. Moves a message without a key to the delayed messages.
 */
public final class RetryScheduler {
    private static final int ERROR_LENGTH = 2000;

    private final OutboxStatements sql;
    private final BlockedKeyStatements blockedKeySql;
    private final PartitionIds partitions;
    private final int timeoutSeconds;

    public RetryScheduler(
            OutboxStatements sql, BlockedKeyStatements blockedKeys, PartitionIds partitions, int timeoutSeconds) {
        this.timeoutSeconds = timeoutSeconds;
        this.sql = sql;
        this.blockedKeySql = blockedKeys;
        this.partitions = partitions;
    }

    /** @return the number of rows updated: 0 if another node has changed the message since this claim read it */
    int scheduleRetry(Connection connection, Retry retry) throws SQLException {
        QueueId queue = JdbcStatement.of(connection, blockedKeySql.lockPending, retry.sequence())
                .within(timeoutSeconds)
                .first(row -> retry.appliesTo(row.getInt("attempts")) ? prepareQueue(connection, retry, row) : null);
        return queue == null
                ? 0
                : JdbcStatement.of(
                                connection,
                                sql.scheduleRetry,
                                retry.status().name(),
                                retry.attempts(),
                                ColumnText.truncated(ColumnText.printable(retry.error()), ERROR_LENGTH),
                                millis(retry.delay()),
                                queue.value(),
                                retry.sequence())
                        .within(timeoutSeconds)
                        .update();
    }

    /** Whether an operator has discarded the message or reset its attempts since the claim. */
    boolean isChangedByOperator(Connection connection, Retry retry) throws SQLException {
        return JdbcStatement.of(
                                connection,
                                blockedKeySql.lockChangedByOperator,
                                retry.sequence(),
                                retry.attemptsBefore())
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
            return (now.isBlockedKey() ? partition(connection, now.value()) : now).abandoned();
        }
        if (now.isBlockedKey()) {
            setDue(connection, now.value(), retry.delay());
            return now;
        }
        return new QueueId(
                key == null
                        ? partitions.queueId(row.getString("destination"), PartitionIds.DELAYED)
                        : blockedKey(connection, now.value(), key, retry.delay()));
    }

    /** The partition of a blocked key, which exists as long as it has messages. */
    private QueueId partition(Connection connection, long blockedKey) throws SQLException {
        Long partition = JdbcStatement.of(connection, blockedKeySql.partitionOf, blockedKey)
                .number();
        return new QueueId(partition == null ? blockedKey : partition);
    }

    /** Locks the blocked key, if it exists, so that no other transaction removes it. */
    private int setDue(Connection connection, long blockedKey, Duration delay) throws SQLException {
        return JdbcStatement.of(connection, blockedKeySql.setDue, millis(delay), blockedKey)
                .within(timeoutSeconds)
                .update();
    }

    /**
     * Finds or inserts the blocked key. No update by the key: without a match, some databases would lock the index gap.
     */
    private long blockedKey(Connection connection, long partition, String key, Duration delay) throws SQLException {
        Long found = find(connection, partition, key);
        if (found != null && setDue(connection, found, delay) == 1) {
            return found;
        }
        JdbcStatement.of(connection, blockedKeySql.insert, millis(delay), partition, key)
                .within(timeoutSeconds)
                .update();
        return find(connection, partition, key);
    }

    private Long find(Connection connection, long partition, String key) throws SQLException {
        return JdbcStatement.of(connection, blockedKeySql.find, partition, key).number();
    }

    private static Long millis(Duration delay) {
        return delay == null ? null : delay.toMillis();
    }
}

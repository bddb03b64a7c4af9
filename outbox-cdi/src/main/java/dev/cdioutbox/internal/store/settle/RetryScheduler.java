package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyStatements;
import dev.cdioutbox.internal.store.sql.ColumnText;
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

    public RetryScheduler(OutboxStatements sql, BlockedKeyStatements blockedKeys, PartitionIds partitions) {
        this.sql = sql;
        this.blockedKeySql = blockedKeys;
        this.partitions = partitions;
    }

    /** @return the number of rows updated: 0 if another node has changed the message since this claim read it */
    int scheduleRetry(Connection connection, Retry retry, int timeoutSeconds) throws SQLException {
        QueueId queue;
        try (PreparedStatement select = connection.prepareStatement(blockedKeySql.lockPending)) {
            select.setQueryTimeout(timeoutSeconds);
            select.setLong(1, retry.sequence());
            try (ResultSet row = select.executeQuery()) {
                if (!row.next() || !retry.appliesTo(row.getInt("attempts"))) {
                    return 0;
                }
                queue = queue(connection, retry, row, timeoutSeconds);
            }
        }
        try (PreparedStatement update = connection.prepareStatement(sql.scheduleRetry)) {
            update.setQueryTimeout(timeoutSeconds);
            update.setString(1, retry.status().name());
            update.setInt(2, retry.attempts());
            update.setString(3, ColumnText.truncated(ColumnText.printable(retry.error()), ERROR_LENGTH));
            setDelay(update, 4, retry.delay());
            update.setLong(5, queue.value());
            update.setLong(6, retry.sequence());
            return update.executeUpdate();
        }
    }

    /** Whether an operator has discarded the message or reset its attempts since the claim. */
    boolean isChangedByOperator(Connection connection, Retry retry, int timeoutSeconds) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(blockedKeySql.lockChangedByOperator)) {
            select.setQueryTimeout(timeoutSeconds);
            select.setLong(1, retry.sequence());
            select.setInt(2, retry.attemptsBefore());
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    private QueueId queue(Connection connection, Retry retry, ResultSet row, int timeoutSeconds) throws SQLException {
        QueueId now = new QueueId(row.getLong("queue_id"));
        // The key in its stored encoding, which the blocked-key row has too.
        String key = row.getString("ordering_key");
        // An unreadable row may have no key. No message waits for such a row, so the row must not block.
        boolean holds = retry.blocksKey() && key != null;
        if (retry.status() == OutboxStatus.ABANDONED && !holds) {
            return (now.isBlockedKey() ? partition(connection, now.value()) : now).abandoned();
        }
        if (now.isBlockedKey()) {
            scheduleRetry(connection, now.value(), retry.delay(), timeoutSeconds);
            return now;
        }
        return new QueueId(
                key == null
                        ? partitions.queueId(row.getString("destination"), PartitionIds.DELAYED)
                        : blockedKey(connection, now.value(), key, retry.delay(), timeoutSeconds));
    }

    /** The partition of a blocked key, which exists as long as it has messages. */
    private QueueId partition(Connection connection, long blockedKey) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(blockedKeySql.partitionOf)) {
            select.setLong(1, blockedKey);
            try (ResultSet row = select.executeQuery()) {
                return new QueueId(row.next() ? row.getLong(1) : blockedKey);
            }
        }
    }

    /** Locks the blocked key, if it exists, so that no other transaction removes it. */
    private int scheduleRetry(Connection connection, long blockedKey, Duration delay, int timeoutSeconds)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(blockedKeySql.setDue)) {
            update.setQueryTimeout(timeoutSeconds);
            setDelay(update, 1, delay);
            update.setLong(2, blockedKey);
            return update.executeUpdate();
        }
    }

    /**
     * Finds or inserts the blocked key. No update by the key: without a match, some databases would lock the index gap.
     */
    private long blockedKey(Connection connection, long partition, String key, Duration delay, int timeoutSeconds)
            throws SQLException {
        Long found = find(connection, partition, key);
        if (found != null && scheduleRetry(connection, found, delay, timeoutSeconds) == 1) {
            return found;
        }
        try (PreparedStatement insert = connection.prepareStatement(blockedKeySql.insert)) {
            insert.setQueryTimeout(timeoutSeconds);
            setDelay(insert, 1, delay);
            insert.setLong(2, partition);
            insert.setString(3, key);
            insert.executeUpdate();
        }
        return find(connection, partition, key);
    }

    private Long find(Connection connection, long partition, String key) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(blockedKeySql.find)) {
            select.setLong(1, partition);
            select.setString(2, key);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : null;
            }
        }
    }

    private static void setDelay(PreparedStatement statement, int parameter, Duration delay) throws SQLException {
        if (delay == null) {
            statement.setNull(parameter, Types.BIGINT);
        } else {
            statement.setLong(parameter, delay.toMillis());
        }
    }
}

package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.ColumnText;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionTable;
import dev.cdioutbox.internal.store.sql.QueueId;

/**
 * Writes the retry of a message. Moves a message with an ordering key to the queue of its blocked key, and inserts
 * that row if necessary. Moves a message without a key to the delayed messages.
 */
public final class RetryWriter {
    private static final int ERROR_LENGTH = 2000;

    private final BlockedKeyTable blockedKeys;
    private final PartitionTable partitions;
    private final int timeoutSeconds;
    private final String lockPending;
    private final String lockChangedByOperator;
    private final String scheduleRetry;
    private final String countAttempt;

    /** @param timeoutSeconds the longest wait for a locked row */
    public RetryWriter(
            String prefix,
            Dialect dialect,
            BlockedKeyTable blockedKeys,
            PartitionTable partitions,
            int timeoutSeconds) {
        this.blockedKeys = blockedKeys;
        this.partitions = partitions;
        this.timeoutSeconds = timeoutSeconds;
        String message = prefix + "message";
        String waits = QueueId.isPending(dialect) + " AND seq = ?";
        lockPending = dialect.lock(
                "queue_id, attempts, destination, CASE WHEN not_before IS NULL THEN message_key END AS ordering_key",
                dialect.byPrimaryKey(message),
                waits);
        lockChangedByOperator = dialect.lock(
                "seq",
                dialect.byPrimaryKey(message),
                "seq = ? AND (%s AND status = 'DISCARDED' OR queue_id > 0 AND attempts < ?)"
                        .formatted(QueueId.IS_SETTLED));
        scheduleRetry = """
                UPDATE %s SET status = ?, attempts = ?, last_attempt_at = %s, last_error = ?, available_at = %s,
                  queue_id = ?
                WHERE %s""".formatted(message, dialect.now(), dialect.nowPlusMillis(), waits);
        countAttempt = "UPDATE %s SET attempts = ?, last_error = ? WHERE %s".formatted(message, waits);
    }

    /** @return the number of rows updated: 0 if another node has changed the message since this claim read it */
    int scheduleRetry(Connection connection, Retry retry) throws SQLException {
        QueueId queue = JdbcStatement.of(connection, lockPending, retry.sequence())
                .within(timeoutSeconds)
                .first(row -> retry.appliesTo(row.getInt("attempts")) ? prepareQueue(connection, retry, row) : null);
        return queue == null
                ? 0
                : JdbcStatement.of(
                                connection,
                                scheduleRetry,
                                retry.status().name(),
                                retry.attempts(),
                                ColumnText.truncated(ColumnText.printable(retry.error()), ERROR_LENGTH),
                                retry.delay() == null ? null : retry.delay().toMillis(),
                                queue.value(),
                                retry.sequence())
                        .within(timeoutSeconds)
                        .update();
    }

    /** Whether an operator has discarded the message or reset its attempts since the claim. */
    boolean isChangedByOperator(Connection connection, Retry retry) throws SQLException {
        return JdbcStatement.of(connection, lockChangedByOperator, retry.sequence(), retry.attemptsBefore())
                        .within(timeoutSeconds)
                        .number()
                != null;
    }

    /** @return whether the message still waits */
    public boolean countAttempt(Connection connection, long sequence, int attempts, String error) throws SQLException {
        return JdbcStatement.of(connection, countAttempt, attempts, error, sequence)
                        .within(timeoutSeconds)
                        .update()
                == 1;
    }

    /** The queue into which the message moves. Locks the row of a blocked key, and inserts it if necessary. */
    private QueueId prepareQueue(Connection connection, Retry retry, ResultSet row) throws SQLException {
        QueueId now = new QueueId(row.getLong("queue_id"));
        // The key in its stored encoding, which the blocked-key row has too.
        String key = row.getString("ordering_key");
        // An unreadable row may have no key. No message waits for such a row, so the row must not block.
        boolean holds = retry.blocksKey() && key != null;
        if (retry.status() == OutboxStatus.ABANDONED && !holds) {
            return now.isBlockedKey()
                    ? new QueueId(blockedKeys.partitionOf(connection, now.value())).abandoned()
                    : now.abandoned();
        }
        if (now.isBlockedKey()) {
            blockedKeys.setDue(connection, now.value(), retry.delay());
            return now;
        }
        return new QueueId(
                key == null
                        ? partitions.queueId(row.getString("destination"), PartitionTable.DELAYED)
                        : blockedKeys.block(connection, now.value(), key, retry.delay()));
    }
}

package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;

/** The rows of blocked keys, as settlements and operators write them. Claims read and maintain their queues. */
public final class BlockedKeyTable {
    private final String setDue;
    private final String insert;
    private final String find;

    public BlockedKeyTable(Sql sql) {
        setDue = sql.of("UPDATE {blocked_key} SET due_at = COALESCE({now + :delay}, {never}) WHERE id = :id");
        insert = sql.of("""
                INSERT INTO {blocked_key} (due_at, id, partition_id, message_key)
                VALUES (COALESCE({now + :delay}, {never}), :id, :partition, :key)""");
        find = sql.of("SELECT id FROM {blocked_key} WHERE partition_id = :partition AND message_key = :key");
    }

    /**
     * Sets the due time of a blocked key. Locks the row, if it exists, so that no other transaction removes it.
     *
     * @param delay the time from now; null for never
     * @return whether the row exists
     */
    public boolean setDue(Connection connection, long blockedKey, Duration delay) throws SQLException {
        return JdbcStatement.of(connection, setDue)
                        .set("delay", millis(delay))
                        .set("id", blockedKey)
                        .within(JdbcStatement.LOCK_WAIT_SECONDS)
                        .update()
                == 1;
    }

    /**
     * Blocks a key: finds or inserts its row, and sets the due time. No update by the key: without a match, some
     * databases would lock the index gap.
     *
     * @param key the key in its stored encoding
     * @param delay the time from now; null for never
     * @return the id of the key's queue
     */
    long block(Connection connection, long partition, String key, Duration delay) throws SQLException {
        Long found = find(connection, partition, key);
        if (found != null && setDue(connection, found, delay)) {
            return found;
        }
        long blockedKey = QueueId.ofBlockedKey(System.currentTimeMillis()).value();
        JdbcStatement.of(connection, insert)
                .set("delay", millis(delay))
                .set("id", blockedKey)
                .set("partition", partition)
                .set("key", key)
                .within(JdbcStatement.LOCK_WAIT_SECONDS)
                .update();
        return blockedKey;
    }

    private Long find(Connection connection, long partition, String key) throws SQLException {
        return JdbcStatement.of(connection, find)
                .set("partition", partition)
                .set("key", key)
                .number();
    }

    private static Long millis(Duration delay) {
        return delay == null ? null : delay.toMillis();
    }
}

package dev.cdioutbox.internal.store.capture;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.zip.CRC32;

import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * The locks of strict ordering and of received messages, one for each hash of a key, which a transaction keeps until it ends. Of two transactions with one
 * key, the second one then gets its sequences after the end of the first one. Thread-safe.
 */
final class KeyLocks {
    /** The number of rows that the schema inserts. With more locks, fewer keys share a lock. */
    private static final int KEY_LOCKS = 1024;

    private final String application;
    private final boolean isPostgresql;
    private final String lockKey;
    private final String lockKeys;

    KeyLocks(String application, Sql sql) {
        this.application = application;
        isPostgresql = sql.dialect() == SupportedDatabases.POSTGRESQL;
        lockKey = sql.of("SELECT id FROM {key_lock} WHERE id = :ids FOR UPDATE");
        lockKeys = sql.of(isPostgresql ? "SELECT id FROM {key_lock} WHERE id IN (:ids) ORDER BY id FOR UPDATE" : "");
    }

    /** Locks in sorted order, so that two transactions with the same keys cannot deadlock. */
    void lock(Connection connection, List<NewMessage> messages) throws SQLException {
        SortedSet<Integer> locks = new TreeSet<>();
        messages.stream()
                .filter(NewMessage::isOrdered)
                .map(m -> keyLock(m.event().key()))
                .forEach(locks::add);
        if (isPostgresql && !locks.isEmpty()) {
            lockAll(connection, lockKeys, locks);
        } else {
            for (Integer lock : locks) {
                lockAll(connection, lockKey, List.of(lock));
            }
        }
    }

    private int keyLock(String key) {
        CRC32 hash = new CRC32();
        hash.update((application + '/' + key).getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % KEY_LOCKS);
    }

    private static void lockAll(Connection connection, String statement, Collection<Integer> ids) throws SQLException {
        int locked = JdbcStatement.of(connection, statement)
                .set("ids", ids)
                .within(JdbcStatement.LOCK_WAIT_SECONDS)
                .numbers()
                .size();
        if (locked < ids.size()) {
            throw new SQLException("the table of key locks has lost rows; apply the schema again");
        }
    }
}

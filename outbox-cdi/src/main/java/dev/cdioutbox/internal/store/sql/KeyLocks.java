package dev.cdioutbox.internal.store.sql;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.zip.CRC32;

import dev.cdioutbox.internal.store.NewMessage;

/**
 * Locks for the hashes of keys, held from the insert to the end of the transaction. Of two transactions with one key,
 * the second one gets its sequence after the end of the first one.
 */
public final class KeyLocks {
    /** The number of rows that the schema inserts. With more locks, fewer keys share a lock. */
    static final int COUNT = 1024;

    private final String application;
    private final OutboxStatements sql;

    public KeyLocks(String application, OutboxStatements sql) {
        this.application = application;
        this.sql = sql;
    }

    /** Locks in sorted order, so that two transactions with the same keys cannot deadlock. */
    void lock(Connection connection, List<NewMessage> messages, int timeoutSeconds) throws SQLException {
        SortedSet<Integer> locks = new TreeSet<>();
        messages.stream()
                .filter(NewMessage::isOrdered)
                .map(m -> number(m.event().key()))
                .forEach(locks::add);
        if (sql.dialect().locksOnlyReturnedRows() && !locks.isEmpty()) {
            lock(connection, sql.lockKeys, locks, timeoutSeconds);
        } else {
            for (Integer lock : locks) {
                lock(connection, sql.lockKey, List.of(lock), timeoutSeconds);
            }
        }
    }

    private int number(String key) {
        CRC32 hash = new CRC32();
        hash.update((application + '/' + key).getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % COUNT);
    }

    private static void lock(Connection connection, String statement, Collection<Integer> ids, int timeoutSeconds)
            throws SQLException {
        int locked = JdbcStatement.of(connection, statement, ids)
                .within(timeoutSeconds)
                .numbers()
                .size();
        if (locked < ids.size()) {
            throw new SQLException("the table of key locks has lost rows; apply the schema again");
        }
    }
}

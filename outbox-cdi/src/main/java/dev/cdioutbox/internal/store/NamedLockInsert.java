package dev.cdioutbox.internal.store;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * For InnoDB, where whoever waits for an insert gets a shared lock when that is rolled back: two who wait then block each
 * other, and one loses its whole transaction. So they line up, by a lock that belongs to no transaction and is given back
 * as soon as the row is written. Only the first in the line waits for a row lock, and with a read that, unlike an insert,
 * leaves no lock on the gap in which a row is missing (READ COMMITTED).
 */
final class NamedLockInsert implements UniqueInsert {
    private static final long ALREADY_INSERTED = -1;

    private final String table;
    private final String takeNamedLock;
    private final String lockRow;
    private final String insert;
    private final int keyColumns;
    private final LockWaitRetry lockWaitRetry;

    /** @param key the condition that asks for the key's columns */
    NamedLockInsert(String table, String key, String insert, Dialect dialect) {
        this.table = table;
        this.insert = insert;
        this.keyColumns = (int) key.chars().filter(c -> c == '?').count();
        this.lockWaitRetry = new LockWaitRetry(dialect);
        // Whoever wrote the row itself must not stand in line behind one who waits for its end.
        this.takeNamedLock = "SELECT CASE WHEN EXISTS (SELECT 1 FROM %s WHERE %s) THEN %d ELSE GET_LOCK(?, %d) END"
                .formatted(table, key, ALREADY_INSERTED, LockWaitRetry.MAX_WAIT.toSeconds());
        this.lockRow = "SELECT 1 FROM %s WHERE %s FOR UPDATE".formatted(table, key);
    }

    @Override
    public boolean insert(Connection connection, Object... values) throws SQLException {
        Object[] key = Arrays.copyOf(values, keyColumns);
        String line = lockName(key);
        Object[] keyAndLine = Arrays.copyOf(key, keyColumns + 1);
        keyAndLine[keyColumns] = line;
        long place = lockWaitRetry.number(connection, takeNamedLock, keyAndLine);
        if (place == ALREADY_INSERTED) {
            return false;
        }
        if (place == 0) {
            throw new SQLException("others have handled the same for " + LockWaitRetry.MAX_WAIT.toSeconds() + " s");
        }
        try {
            return lockWaitRetry.number(connection, lockRow, key) == 0
                    && lockWaitRetry.update(connection, insert, values) > 0;
        } finally {
            lockWaitRetry.number(connection, "SELECT RELEASE_LOCK(?)", line);
        }
    }

    /** A name of at most 64 characters, for all schemas of the server. */
    private String lockName(Object[] key) {
        String name = Arrays.stream(key).map(String::valueOf).collect(Collectors.joining("\n", table + "\n", ""));
        return "outbox " + UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }
}

package dev.cdioutbox.internal.store.dialect;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Inserts a row on InnoDB without a deadlock. There, two transactions that wait for an insert both get a shared lock
 * when it is rolled back, and then deadlock. So a named lock (GET_LOCK) serializes the inserts until the row is
 * written. Only its owner waits for the row lock, with a read that leaves no gap lock at READ COMMITTED.
 */
public final class NamedLockInsert implements UniqueInsert {
    private static final long ALREADY_INSERTED = -1;

    private final String table;
    private final String takeNamedLock;
    private final String lockRow;
    private final String insert;
    private final int keyColumns;
    private final LockWaitRetry lockWaitRetry;

    /** @param key the condition for the key's columns */
    NamedLockInsert(String table, String key, String insert, Dialect dialect) {
        this.table = table;
        this.insert = insert;
        this.keyColumns = (int) key.chars().filter(c -> c == '?').count();
        this.lockWaitRetry = new LockWaitRetry(dialect);
        // A transaction that has inserted the row itself must not wait for the named lock, whose owner waits for that
        // transaction.
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

    /** A name of at most 64 characters, which is unique on the server and not only in the schema. */
    private String lockName(Object[] key) {
        String name = Arrays.stream(key).map(String::valueOf).collect(Collectors.joining("\n", table + "\n", ""));
        return "outbox " + UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }
}

package dev.cdioutbox.internal.store.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import dev.cdioutbox.internal.store.Inbox;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.LockWaitRetry;
import dev.cdioutbox.internal.store.sql.Connections;

/** Accesses the inbox's tables with JDBC. */
public final class JdbcInbox implements Inbox {
    private final Connections connections;
    private final String application;
    private final InboxStatements sql;
    private final LockWaitRetry lockWaitRetry;

    public JdbcInbox(Connections connections, String application, InboxStatements sql, Dialect dialect) {
        this.connections = connections;
        this.application = application;
        this.sql = sql;
        this.lockWaitRetry = new LockWaitRetry(dialect);
    }

    @Override
    public boolean enter(String consumer, String messageId) {
        return connections.withConnection(
                "noting a message as handled",
                connection -> sql.enter.insert(connection, application, consumer, messageId));
    }

    @Override
    public boolean advance(String consumer, String key, long sequence) {
        // The second update finds the key's row: the insert waited for the transaction that created it.
        return connections.withConnection(
                "noting how far a key has come",
                connection -> updateSequence(connection, consumer, key, sequence)
                        || sql.insertKey.insert(connection, application, consumer, key, sequence)
                        || updateSequence(connection, consumer, key, sequence));
    }

    @Override
    public int sweep(Duration olderThan, int limit) {
        return connections.inOwnTransaction("sweeping the inbox", transaction -> {
            int swept = 0;
            for (String delete : sql.sweep) {
                int some = lockWaitRetry.update(
                        transaction.connection(), delete, application, -olderThan.toMillis(), limit);
                swept = Math.max(swept, some);
            }
            transaction.commit();
            return swept;
        });
    }

    private boolean updateSequence(Connection connection, String consumer, String key, long sequence)
            throws SQLException {
        return lockWaitRetry.update(connection, sql.advance, sequence, application, consumer, key, sequence) > 0;
    }
}

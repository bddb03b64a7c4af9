package dev.cdioutbox.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import dev.cdioutbox.internal.store.Inbox;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.LockWaitRetry;
import dev.cdioutbox.internal.store.dialect.UniqueInsert;
import dev.cdioutbox.internal.store.sql.Connections;

/** Accesses the inbox's tables with JDBC. */
public final class JdbcInbox implements Inbox {
    private final Connections connections;
    private final String application;
    private final LockWaitRetry lockWaitRetry;
    private final UniqueInsert enter;
    private final UniqueInsert insertKey;
    private final String advance;
    /**
     * One statement for each table; the parameters are the application, the age in negative milliseconds, and the
     * limit.
     */
    public final List<String> sweep;

    public JdbcInbox(Connections connections, String application, String prefix, Dialect dialect) {
        this.connections = connections;
        this.application = application;
        this.lockWaitRetry = new LockWaitRetry(dialect);
        String messages = prefix + "inbox";
        String keys = prefix + "inbox_key";
        enter = dialect.uniqueInsert(
                messages,
                "application = ? AND consumer = ? AND message_id = ?",
                "INSERT INTO %s (application, consumer, message_id, received_at) VALUES (?, ?, ?, %s)"
                        .formatted(messages, dialect.now()));
        advance = """
                UPDATE %s SET last_sequence = ?, received_at = %s
                WHERE application = ? AND consumer = ? AND message_key = ? AND last_sequence <= ?""".formatted(keys, dialect.now());
        insertKey = dialect.uniqueInsert(
                keys, "application = ? AND consumer = ? AND message_key = ?", """
                INSERT INTO %s (application, consumer, message_key, last_sequence, received_at)
                VALUES (?, ?, ?, ?, %s)""".formatted(keys, dialect.now()));
        String old = "application = ? AND received_at < " + dialect.nowPlusMillis();
        sweep = List.of(dialect.deleteFirst(messages, old), dialect.deleteFirst(keys, old));
    }

    @Override
    public boolean enter(String consumer, String messageId) {
        return connections.withConnection(
                "noting a message as handled",
                connection -> enter.insert(connection, application, consumer, messageId));
    }

    @Override
    public boolean advance(String consumer, String key, long sequence) {
        // The second update finds the key's row: the insert waited for the transaction that created it.
        return connections.withConnection(
                "noting how far a key has come",
                connection -> updateSequence(connection, consumer, key, sequence)
                        || insertKey.insert(connection, application, consumer, key, sequence)
                        || updateSequence(connection, consumer, key, sequence));
    }

    @Override
    public int sweep(Duration olderThan, int limit) {
        return connections.inLocalTransaction("sweeping the inbox", transaction -> {
            int swept = 0;
            for (String delete : sweep) {
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
        return lockWaitRetry.update(connection, advance, sequence, application, consumer, key, sequence) > 0;
    }
}

package dev.cdioutbox.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;

/**
 * Records the messages that consumers have handled: the id of each message, and the last sequence of each key. Waits for
 * another transaction that handles the same message, as long as the database waits for a lock. Thread-safe; each method
 * says in which transaction it runs.
 */
public final class Inbox {
    /** The maximum length of a consumer's name, in characters. */
    public static final int MAX_CONSUMER_LENGTH = 64;

    /** The maximum length of a message's id or key, in characters. */
    public static final int MAX_ID_LENGTH = 255;

    /**
     * The default timeout of a transaction. After this time a transaction that handles the same message has ended or is
     * in doubt.
     */
    private static final int TIMEOUT_SECONDS = 120;

    private final Connections connections;
    private final Connections sweeping;
    private final String application;
    private final Dialect dialect;
    private final String insertMessage;
    private final String insertKey;
    private final String advance;
    /** One statement for each table; the parameters are the application, the age in negative milliseconds, and the limit. */
    public final List<String> lastToSweep;
    /** One statement for each table; the parameters are the application and a time. */
    public final List<String> sweep;

    /** @param sweeping the connections of the sweep */
    public Inbox(Connections connections, Connections sweeping, String application, String prefix, Dialect dialect) {
        this.connections = connections;
        this.sweeping = sweeping;
        this.application = application;
        this.dialect = dialect;
        List<String> tables = List.of(prefix + "inbox", prefix + "inbox_key");
        insertMessage = dialect.unlessPresent(
                "INSERT INTO %s (application, consumer, message_id, received_at) VALUES (?, ?, ?, %s)"
                        .formatted(tables.get(0), dialect.now()));
        insertKey = dialect.unlessPresent("""
                INSERT INTO %s (application, consumer, message_key, last_sequence, received_at)
                VALUES (?, ?, ?, ?, %s)""".formatted(tables.get(1), dialect.now()));
        advance = """
                UPDATE %s SET last_sequence = ?, received_at = %s
                WHERE application = ? AND consumer = ? AND message_key = ? AND last_sequence <= ?""".formatted(tables.get(1), dialect.now());
        lastToSweep = tables.stream()
                .map(table -> """
                        SELECT %s AS received_at FROM (SELECT i.received_at FROM %s i
                          WHERE i.application = ? AND i.received_at < %s ORDER BY i.application, i.received_at %s) o""".formatted(
                        dialect.selectTime("MAX(o.received_at)"), table, dialect.nowPlusMillis(), dialect.limit("?")))
                .toList();
        sweep = tables.stream()
                .map(table -> "DELETE FROM %s WHERE application = ? AND received_at <= %s"
                        .formatted(table, dialect.timeParameter()))
                .toList();
    }

    /**
     * Records a message in the caller's JTA transaction. Waits while another transaction handles the same message. The
     * transaction stays usable if the message is already recorded.
     *
     * @return whether the message is new to the consumer
     */
    public boolean enter(String consumer, String messageId) {
        return connections.withConnection(
                "noting a message as handled",
                connection -> insert(connection, insertMessage, application, consumer, messageId));
    }

    /**
     * Records the last sequence of a key in the caller's JTA transaction. Waits while another transaction handles a
     * message of the same key.
     *
     * @return whether no later message of the key was handled before
     */
    public boolean advance(String consumer, String key, long sequence) {
        // The second update finds the key's row: the insert waited for the transaction that created it.
        return connections.withConnection(
                "noting how far a key has come",
                connection -> updateSequence(connection, consumer, key, sequence)
                        || insert(connection, insertKey, application, consumer, key, sequence)
                        || updateSequence(connection, consumer, key, sequence));
    }

    private boolean updateSequence(Connection connection, String consumer, String key, long sequence)
            throws SQLException {
        return statement(connection, advance, sequence, application, consumer, key, sequence)
                        .update()
                > 0;
    }

    /** @return whether the row was inserted; the transaction stays usable in any case */
    private boolean insert(Connection connection, String insert, Object... values) throws SQLException {
        try {
            return statement(connection, insert, values).update() > 0;
        } catch (SQLException e) {
            if (dialect.isDuplicate(e)) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Deletes older records, in a separate transaction outside of JTA.
     *
     * @param limit the number of messages, and of keys; records of the same time are deleted together
     * @return the number of deleted records; if lower than the limit, there are no more
     */
    public int sweep(Duration olderThan, int limit) {
        return sweeping.inLocalTransaction("sweeping the inbox", connection -> {
            int swept = 0;
            for (int table = 0; table < sweep.size(); table++) {
                Instant last = statement(connection, lastToSweep.get(table), application, -olderThan.toMillis(), limit)
                        .first(row -> dialect.time(row, "received_at"));
                if (last != null) {
                    Object until = dialect.timeValue(last);
                    swept = Math.max(
                            swept,
                            statement(connection, sweep.get(table), application, until)
                                    .update());
                }
            }
            connection.commit();
            return swept;
        });
    }

    private JdbcStatement statement(Connection connection, String text, Object... parameters) {
        Object[] stored = Arrays.stream(parameters)
                .map(value -> value instanceof String some ? dialect.encodeText(some) : value)
                .toArray();
        return JdbcStatement.of(connection, text, stored).within(TIMEOUT_SECONDS);
    }
}

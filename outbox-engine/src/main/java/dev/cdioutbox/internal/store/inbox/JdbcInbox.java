package dev.cdioutbox.internal.store.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.inbox.Position.Order;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Records the messages that consumers have handled: inserts the id of a message unless it is present, and the last sequence of
 * a key unless a later one is. Thread-safe; each method says in which transaction it runs.
 *
 * <p>The purge deletes old keys, and keeps their highest sequence as that of the key {@link InboxStatements#PURGED}. A message
 * that is not above it, and whose key has no row, may be late.
 */
public final class JdbcInbox {
    /** The maximum length of a consumer's name, in characters. */
    public static final int MAX_CONSUMER_LENGTH = 64;

    /** The maximum length of a message's id or key, in characters. */
    public static final int MAX_ID_LENGTH = 255;

    private static final String INSERT_MESSAGE = """
            INSERT INTO {inbox} (application, consumer, message_id, received_at) VALUES (:application, :consumer, :id, {now})""";

    /**
     * Below what was purged, the row would be that of the key {@link InboxStatements#PURGED}, which is present: nothing is
     * inserted. MariaDB accepts the table of the insert in a derived table only, and MAX keeps it from merging that.
     */
    private static final String INSERT_KEY = """
            INSERT INTO {inbox_key} (application, consumer, message_key, last_sequence, last_stored_at, received_at)
            VALUES (:application, :consumer, COALESCE((SELECT purged FROM (SELECT MAX(message_key) AS purged FROM {inbox_key}
              WHERE application = :application AND consumer = :consumer AND message_key = :purged AND last_sequence > :sequence) s), :id),
              :sequence, {time :stored}, {now})""";

    private static final String DELETE_FIRST = "DELETE FROM {table} WHERE {old} FETCH FIRST :most ROWS ONLY";

    /**
     * By ctid, which the row locks keep stable. An array: the planner may run a subquery once for each row, and each run may
     * find other unlocked rows. Then the statement would delete more rows than the limit.
     */
    private static final String DELETE_FIRST_ON_POSTGRESQL = """
            DELETE FROM {table} WHERE ctid = ANY (ARRAY(
              SELECT ctid FROM {table} WHERE {old} FETCH FIRST :most ROWS ONLY FOR UPDATE SKIP LOCKED))""";

    private final Connections connections;
    private final Connections purging;
    private final Dialect dialect;
    private final InboxStatements statements;
    private final UniqueInsert insertMessage;
    private final UniqueInsert insertKey;
    private final String advance;
    private final String last;
    public final String purgeMessages;
    /** The consumers of old keys, each with the highest sequence. */
    public final String oldKeys;

    private final String purgeKeys;

    /** @param purging the connections of the purge */
    public JdbcInbox(Connections connections, Connections purging, String application, Sql sql) {
        this.connections = connections;
        this.purging = purging;
        this.dialect = sql.dialect();
        statements = new InboxStatements(application, dialect);
        insertMessage = new UniqueInsert(statements, sql, "{inbox}", "message_id", INSERT_MESSAGE);
        insertKey = new UniqueInsert(statements, sql, "{inbox_key}", "message_key", INSERT_KEY);
        advance = sql.of("""
                UPDATE {inbox_key} SET last_sequence = :sequence, last_stored_at = {time :stored}, received_at = {now}
                WHERE application = :application AND consumer = :consumer AND message_key = :id AND last_sequence <= :sequence""");
        last = sql.of("""
                SELECT last_sequence, {time last_stored_at} AS last_stored_at FROM {inbox_key}
                WHERE application = :application AND consumer = :consumer AND message_key = :id""");
        String deleteFirst = dialect == SupportedDatabases.POSTGRESQL ? DELETE_FIRST_ON_POSTGRESQL : DELETE_FIRST;
        Sql old = sql.with("old", "application = :application AND received_at < {now + :age}");
        Sql oldKey = old.with("old", "{old} AND message_key <> :purged");
        purgeMessages = old.with("table", "{inbox}").of(deleteFirst);
        oldKeys = oldKey.of("""
                SELECT consumer, MAX(last_sequence) FROM (
                  SELECT consumer, last_sequence FROM {inbox_key} WHERE {old} FETCH FIRST :most ROWS ONLY) o
                GROUP BY consumer""");
        purgeKeys = oldKey.with("old", "{old} AND consumer = :consumer AND last_sequence <= :sequence")
                .with("table", "{inbox_key}")
                .of(deleteFirst);
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
                connection -> insertMessage.insert(connection, consumer, messageId, InboxStatements.NOWHERE));
    }

    /**
     * Records the last message of a key in the caller's JTA transaction, unless a message with a higher sequence was
     * handled before. Waits while another transaction handles a message of the same key.
     */
    public Order advance(String consumer, String key, Position position) {
        return connections.withConnection("noting how far a key has come", connection -> {
            if (advance(connection, consumer, key, position)) {
                return Order.IN_ORDER;
            }
            // Without a row, a later message may have been purged, perhaps at this moment.
            Position last = last(connection, consumer, key);
            return last == null ? Order.FORGOTTEN : position.after(last);
        });
    }

    /** @return false if the key has a higher sequence, or if it has no row and the sequence is below what was purged */
    private boolean advance(Connection connection, String consumer, String key, Position position) throws SQLException {
        // The second update finds the key's row: the insert waited for the transaction that created it.
        return update(connection, consumer, key, position)
                || insertKey.insert(connection, consumer, key, position)
                || update(connection, consumer, key, position);
    }

    private boolean update(Connection connection, String consumer, String key, Position position) throws SQLException {
        return statements.update(statements.of(connection, advance, consumer, key, position)) > 0;
    }

    private Position last(Connection connection, String consumer, String key) throws SQLException {
        return statements
                .of(connection, last, consumer, key, InboxStatements.NOWHERE)
                .first(row -> new Position(row.getLong("last_sequence"), dialect.time(row, "last_stored_at")));
    }

    /**
     * Deletes older records, in separate transactions outside of JTA.
     *
     * @param limit the highest number of messages, and of keys of one consumer
     * @return the number of deleted records, at most the limit; if lower, there are no more
     */
    public int purge(Duration olderThan, int limit) {
        long age = -olderThan.toMillis();
        return purging.inLocalTransaction("purging the inbox", connection -> {
            int messages = statements.update(old(connection, purgeMessages, age, limit));
            Map<String, Long> consumers = new TreeMap<>();
            old(connection, oldKeys, age, limit)
                    .forEach(row -> consumers.put(dialect.decodeText(row.getString(1)), row.getLong(2)));
            for (Map.Entry<String, Long> consumer : consumers.entrySet()) {
                advance(connection, consumer.getKey(), InboxStatements.PURGED, new Position(consumer.getValue(), null));
            }
            // First committed: an insert that waits for the delete of its key has read that row before.
            connection.commit();
            int keys = 0;
            for (Map.Entry<String, Long> consumer : consumers.entrySet()) {
                keys += statements.update(old(connection, purgeKeys, age, limit)
                        .set("consumer", dialect.encodeText(consumer.getKey()))
                        .set("sequence", consumer.getValue()));
            }
            connection.commit();
            return Math.min(limit, Math.max(messages, keys));
        });
    }

    private JdbcStatement old(Connection connection, String text, long age, int most) {
        return statements.of(connection, text).set("age", age).set("most", most);
    }
}

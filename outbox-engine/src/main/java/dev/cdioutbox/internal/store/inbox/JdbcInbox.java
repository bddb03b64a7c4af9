package dev.cdioutbox.internal.store.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

import dev.cdioutbox.internal.store.UuidV7;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Records the messages that consumers have handled: inserts the id of a message unless it is present, and the last sequence of
 * a key unless a later one is. Thread-safe; each method says in which transaction it runs.
 *
 * <p>The purge deletes old keys, and keeps their highest sequence as that of the key {@link #PURGED}. A message that is not above
 * it, and whose key has no row, may be late.
 */
public final class JdbcInbox {
    /** The maximum length of a consumer's name, in characters. */
    public static final int MAX_CONSUMER_LENGTH = 64;

    /** The maximum length of a message's id or key, in characters. */
    public static final int MAX_ID_LENGTH = 255;

    /** One such key for each consumer. No message has an empty key. */
    private static final String PURGED = "";

    /** For statements without a position. */
    private static final Position NOWHERE = new Position(0, null);

    /**
     * In seconds, the default timeout of a transaction. After this time a transaction that handles the same message has
     * ended or is in doubt. A shorter wait would waste a redelivery.
     */
    private static final int MAX_WAIT_SECONDS = 120;

    private static final String INSERT_MESSAGE = """
            INSERT INTO {inbox} (application, consumer, message_id, received_at) VALUES (:application, :consumer, :id, {now})""";

    /**
     * Below what was purged, the row would be that of the key {@link #PURGED}, which is present: nothing is inserted. MariaDB
     * accepts the table of the insert in a derived table only, and MAX keeps it from merging that.
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
    private final String application;
    private final Dialect dialect;
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
        this.application = application;
        this.dialect = sql.dialect();
        insertMessage = new UniqueInsert(sql, "{inbox}", "message_id", INSERT_MESSAGE);
        insertKey = new UniqueInsert(sql, "{inbox_key}", "message_key", INSERT_KEY);
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
                connection -> insertMessage.insert(connection, consumer, messageId, NOWHERE));
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
        return update(of(connection, advance, consumer, key, position)) > 0;
    }

    private Position last(Connection connection, String consumer, String key) throws SQLException {
        return of(connection, last, consumer, key, NOWHERE)
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
            int messages = update(old(connection, purgeMessages, age, limit));
            Map<String, Long> consumers = new TreeMap<>();
            old(connection, oldKeys, age, limit)
                    .forEach(row -> consumers.put(dialect.decodeText(row.getString(1)), row.getLong(2)));
            for (Map.Entry<String, Long> consumer : consumers.entrySet()) {
                advance(connection, consumer.getKey(), PURGED, new Position(consumer.getValue(), null));
            }
            // First committed: an insert that waits for the delete of its key has read that row before.
            connection.commit();
            int keys = 0;
            for (Map.Entry<String, Long> consumer : consumers.entrySet()) {
                keys += update(old(connection, purgeKeys, age, limit)
                        .set("consumer", dialect.encodeText(consumer.getKey()))
                        .set("sequence", consumer.getValue()));
            }
            connection.commit();
            return Math.min(limit, Math.max(messages, keys));
        });
    }

    private int update(JdbcStatement statement) throws SQLException {
        return repeated(statement::update);
    }

    private Long number(JdbcStatement statement) throws SQLException {
        return repeated(statement::number);
    }

    /** @param id of the message, or the key */
    private JdbcStatement of(Connection connection, String text, String consumer, String id, Position position) {
        return statement(connection, text)
                .set("consumer", dialect.encodeText(consumer))
                .set("id", dialect.encodeText(id))
                .set("sequence", position.sequence)
                .set("stored", position.storedAt == null ? null : dialect.timeValue(position.storedAt));
    }

    private JdbcStatement old(Connection connection, String text, long age, int most) {
        return statement(connection, text).set("age", age).set("most", most);
    }

    private JdbcStatement statement(Connection connection, String text) {
        return JdbcStatement.of(connection, text)
                .set("application", dialect.encodeText(application))
                .set("purged", dialect.encodeText(PURGED))
                .within(MAX_WAIT_SECONDS);
    }

    /** Repeats a statement after a lock timeout, which some databases end after a second, with the transaction usable. */
    private <T> T repeated(Execution<T> execution) throws SQLException {
        long start = System.nanoTime();
        while (true) {
            try {
                return execution.run();
            } catch (SQLException e) {
                boolean waited = System.nanoTime() - start
                        > Duration.ofSeconds(MAX_WAIT_SECONDS).toNanos();
                if (waited || !dialect.isLockTimeout(e)) {
                    throw e;
                }
            }
        }
    }

    private interface Execution<T> {
        T run() throws SQLException;
    }

    /**
     * Inserts a row unless it exists. Waits for another transaction that has inserted the same row. The transaction
     * stays usable in any case.
     */
    private final class UniqueInsert {
        private static final long ALREADY_INSERTED = -1;

        private final String table;
        private final String insert;
        private final String takeNamedLock;
        private final String lockRow;

        UniqueInsert(Sql sql, String table, String id, String insert) {
            boolean named = dialect == SupportedDatabases.MARIADB;
            this.table = sql.of(table);
            // On PostgreSQL, a unique violation would abort the whole transaction, and the consumer's work with it.
            this.insert = sql.of(insert) + (dialect == SupportedDatabases.POSTGRESQL ? " ON CONFLICT DO NOTHING" : "");
            Sql row = sql.with("wait", MAX_WAIT_SECONDS)
                    .with("inserted", ALREADY_INSERTED)
                    .with(
                            "row",
                            "FROM %s WHERE application = :application AND consumer = :consumer AND %s = :id"
                                    .formatted(table, id));
            // A transaction that has inserted the row itself must not wait for the named lock, whose owner waits for
            // that transaction.
            takeNamedLock = named
                    ? row.of(
                            "SELECT CASE WHEN EXISTS (SELECT 1 {row}) THEN {inserted} ELSE GET_LOCK(:lock, {wait}) END")
                    : null;
            lockRow = named ? row.of("SELECT 1 {row} FOR UPDATE") : null;
        }

        /**
         * @param id of the message, or the key
         * @return whether the row was inserted
         */
        boolean insert(Connection connection, String consumer, String id, Position position) throws SQLException {
            JdbcStatement statement = of(connection, insert, consumer, id, position);
            try {
                return takeNamedLock == null
                        ? update(statement) > 0
                        : insertUnderNamedLock(connection, consumer, id, statement);
            } catch (SQLException e) {
                if (dialect.isDuplicate(e)) {
                    return false;
                }
                throw e;
            }
        }

        /**
         * Inserts on InnoDB without a deadlock. There, two transactions that wait for an insert both get a shared lock
         * when it is rolled back, and then deadlock. So a named lock serializes the inserts until the row is written.
         * Only its owner waits for the row lock, with a read that leaves no gap lock at READ COMMITTED.
         */
        private boolean insertUnderNamedLock(Connection connection, String consumer, String id, JdbcStatement statement)
                throws SQLException {
            String lock = lockName(consumer, id);
            long taken =
                    number(of(connection, takeNamedLock, consumer, id, NOWHERE).set("lock", lock));
            if (taken == ALREADY_INSERTED) {
                return false;
            }
            if (taken == 0) {
                throw new SQLException("others have handled the same for " + MAX_WAIT_SECONDS + " s");
            }
            try {
                return number(of(connection, lockRow, consumer, id, NOWHERE)) == null && update(statement) > 0;
            } finally {
                number(statement(connection, "SELECT RELEASE_LOCK(:lock)").set("lock", lock));
            }
        }

        /** A name of at most 64 characters, which is unique on the server and not only in the schema. */
        private String lockName(String consumer, String id) {
            String name = String.join("\n", table, application, consumer, id);
            return "outbox " + HexFormat.of().formatHex(UuidV7.sha256(name), 0, 16);
        }
    }

    /** How a message follows the last one of its key. */
    public enum Order {
        /** It is later, or the same. */
        IN_ORDER,
        /** The consumer has handled a later message. */
        OVERTAKEN,
        /** It was stored later, although its sequence is lower: the producer's sequence has begun again. */
        SEQUENCE_BEGAN_AGAIN,
        /** The consumer knows nothing of the key, and has forgotten messages with higher sequences. */
        FORGOTTEN
    }

    /**
     * The place of a message among those of its key.
     *
     * @param storedAt when the message was stored, by the clock of its database; null if unknown
     */
    public record Position(long sequence, Instant storedAt) {
        /**
         * One statement of one database gives a message its sequence and this time. So a message with a lower sequence and a
         * later time has got both after the sequence began again, unless the clock was set back, which it is by less than this.
         */
        private static final Duration CLOCK_STEP = Duration.ofMinutes(2);

        public Order after(Position last) {
            if (sequence >= last.sequence) {
                return Order.IN_ORDER;
            }
            boolean isYounger =
                    storedAt != null && last.storedAt != null && storedAt.isAfter(last.storedAt.plus(CLOCK_STEP));
            return isYounger ? Order.SEQUENCE_BEGAN_AGAIN : Order.OVERTAKEN;
        }
    }
}

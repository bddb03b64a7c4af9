package dev.cdioutbox.internal.store.sql;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.zip.CRC32;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.MessageColumn.NewRow;

/**
 * Inserts the messages of a transaction in one JDBC batch. With strict ordering, first locks the hashes of their keys to
 * the end of the transaction. Of two transactions with one key, the second one then gets its sequence after the end of
 * the first one.
 */
public final class MessageWriter {
    /** The number of rows that the schema inserts. With more locks, fewer keys share a lock. */
    private static final int KEY_LOCKS = 1024;

    /**
     * In seconds: long enough for a healthy node to release a lock, short enough that a commit never hangs for ever.
     */
    private static final int TIMEOUT_SECONDS = 30;

    /** The SQL state of a statement that was canceled, on PostgreSQL and H2. */
    private static final String CANCELED = "57014";

    private final String application;
    private final boolean isStrict;
    private final Dialect dialect;
    private final PartitionTable partitions;
    private final String table;
    private final String lockKey;
    private final String lockKeys;

    public MessageWriter(StoreConfig config, Dialect dialect, PartitionTable partitions) {
        this.application = config.application();
        this.isStrict = config.ordering() == Ordering.STRICT;
        this.dialect = dialect;
        this.partitions = partitions;
        table = config.tablePrefix() + "message";
        String locks = config.tablePrefix() + "key_lock";
        lockKey = dialect.lock("id", locks, "id = ?");
        lockKeys = "SELECT id FROM " + locks + " WHERE id IN (%s) ORDER BY id FOR UPDATE";
    }

    public void write(Connection connection, List<NewMessage> messages) throws SQLException {
        if (isStrict) {
            lockKeys(connection, messages);
        }
        List<NewRow> rows = messages.stream().map(this::row).toList();
        List<MessageColumn> columns = MessageColumn.inserted(rows);
        int rowsOfInsert = rowsOfInsert(rows.size());
        try (PreparedStatement insert = connection.prepareStatement(insertOf(columns, rowsOfInsert))) {
            // Liberty cancels the JTA timeout before completion: without this timeout a lock could block the commit for
            // ever.
            insert.setQueryTimeout(TIMEOUT_SECONDS);
            for (int first = 0; first < rows.size(); first += rowsOfInsert) {
                int parameter = 1;
                for (NewRow row : rows.subList(first, first + rowsOfInsert)) {
                    for (MessageColumn column : columns) {
                        parameter = column.bind(insert, parameter, row, dialect);
                    }
                }
                insert.addBatch();
            }
            insert.executeBatch();
        } catch (SQLException e) {
            throw withItsCause(e);
        }
    }

    /** Locks in sorted order, so that two transactions with the same keys cannot deadlock. */
    private void lockKeys(Connection connection, List<NewMessage> messages) throws SQLException {
        SortedSet<Integer> locks = new TreeSet<>();
        messages.stream()
                .filter(NewMessage::isOrdered)
                .map(m -> keyLock(m.event().key()))
                .forEach(locks::add);
        if (dialect.locksOnlyReturnedRows() && !locks.isEmpty()) {
            lock(connection, lockKeys, locks);
        } else {
            for (Integer lock : locks) {
                lock(connection, lockKey, List.of(lock));
            }
        }
    }

    private int keyLock(String key) {
        CRC32 hash = new CRC32();
        hash.update((application + '/' + key).getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % KEY_LOCKS);
    }

    private static void lock(Connection connection, String statement, Collection<Integer> ids) throws SQLException {
        int locked = JdbcStatement.of(connection, statement, ids)
                .within(TIMEOUT_SECONDS)
                .numbers()
                .size();
        if (locked < ids.size()) {
            throw new SQLException("the table of key locks has lost rows; apply the schema again");
        }
    }

    /** Names the cause of a canceled statement: PostgreSQL's own text says that the user requested the cancel. */
    private static SQLException withItsCause(SQLException e) {
        if (!CANCELED.equals(e.getSQLState())) {
            return e;
        }
        SQLException timeout = new SQLTimeoutException(
                "the statement took longer than " + TIMEOUT_SECONDS
                        + " s, because another transaction holds a lock or the database is slow",
                CANCELED);
        timeout.addSuppressed(e);
        return timeout;
    }

    private NewRow row(NewMessage message) {
        int partition = partitions.number(message);
        int queue = partitions.queueId(
                message.destination(), message.terms().notBefore() == null ? partition : PartitionTable.DELAYED);
        return new NewRow(message, application, partition, queue);
    }

    /** A divisor, so that one batch of equal statements inserts all rows. */
    private int rowsOfInsert(int rows) {
        int number = dialect.mostRowsOfInsert();
        while (rows % number > 0) {
            number--;
        }
        return number;
    }

    /** The INSERT of a number of rows, each with these columns. */
    public String insertOf(List<MessageColumn> columns, int rows) {
        return "INSERT INTO %s (%s) %s"
                .formatted(
                        table,
                        MessageColumn.names(columns),
                        dialect.insertedRows(MessageColumn.expressions(columns, dialect), rows));
    }
}

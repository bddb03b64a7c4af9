package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.List;

import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.sql.MessageColumn.NewRow;

/** Inserts the messages of a transaction in one JDBC batch. */
public final class MessageWriter {
    /** The SQL state of a statement that was canceled, on PostgreSQL and H2. */
    private static final String CANCELED = "57014";

    private final String application;
    private final KeyLocks keyLocks;
    private final OutboxStatements sql;
    private final PartitionIds partitions;

    /** @param keyLocks the locks to take before the messages get their sequences; null for none */
    public MessageWriter(String application, KeyLocks keyLocks, OutboxStatements sql, PartitionIds partitions) {
        this.application = application;
        this.keyLocks = keyLocks;
        this.sql = sql;
        this.partitions = partitions;
    }

    public void write(Connection connection, List<NewMessage> messages, int timeoutSeconds) throws SQLException {
        if (keyLocks != null) {
            keyLocks.lock(connection, messages, timeoutSeconds);
        }
        try (PreparedStatement insert = connection.prepareStatement(sql.insert)) {
            // Liberty cancels the JTA timeout before completion: without this timeout a lock could block the commit for
            // ever.
            insert.setQueryTimeout(timeoutSeconds);
            for (NewMessage message : messages) {
                bind(insert, message);
                insert.addBatch();
            }
            insert.executeBatch();
        } catch (SQLException e) {
            throw withItsCause(e, timeoutSeconds);
        }
    }

    /** Names the cause of a canceled statement: PostgreSQL's own text says that the user requested the cancel. */
    private static SQLException withItsCause(SQLException e, int timeoutSeconds) {
        if (!CANCELED.equals(e.getSQLState())) {
            return e;
        }
        SQLException timeout = new SQLTimeoutException(
                "the statement took longer than " + timeoutSeconds
                        + " s, because another transaction holds a lock or the database is slow",
                CANCELED);
        timeout.addSuppressed(e);
        return timeout;
    }

    private void bind(PreparedStatement insert, NewMessage message) throws SQLException {
        int partition = partitions.number(message.destination(), message.event().key(), message.id());
        int queue = partitions.queueId(
                message.destination(), message.terms().notBefore() == null ? partition : PartitionIds.DELAYED);
        NewRow row = new NewRow(message, application, partition, queue);
        int parameter = 1;
        for (MessageColumn column : MessageColumn.INSERTED) {
            parameter = column.bind(insert, parameter, row, sql.dialect());
        }
    }
}

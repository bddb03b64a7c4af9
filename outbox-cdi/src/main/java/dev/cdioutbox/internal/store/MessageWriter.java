package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.List;

/** Inserts the messages of a transaction in one JDBC batch. */
final class MessageWriter {
    private final String application;
    private final KeyLocks keyLocks;
    private final OutboxStatements sql;
    private final PartitionIds partitions;

    /**
     * @param keyLocks what is locked before messages get their place in the order; null for nothing
     */
    MessageWriter(String application, KeyLocks keyLocks, OutboxStatements sql, PartitionIds partitions) {
        this.application = application;
        this.keyLocks = keyLocks;
        this.sql = sql;
        this.partitions = partitions;
    }

    void write(Connection connection, List<NewMessage> messages, int timeoutSeconds) throws SQLException {
        if (keyLocks != null) {
            keyLocks.lock(connection, messages, timeoutSeconds);
        }
        try (PreparedStatement insert = connection.prepareStatement(sql.insert)) {
            // The JTA timeout is cancelled before completion: without this a lock could hold the commit for ever.
            insert.setQueryTimeout(timeoutSeconds);
            for (NewMessage message : messages) {
                bind(insert, message);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private void bind(PreparedStatement insert, NewMessage message) throws SQLException {
        int partition = partitions.number(message.destination(), message.event().key(), message.id());
        insert.setString(1, message.id().toString());
        insert.setString(2, application);
        insert.setString(3, message.event().type());
        insert.setInt(4, message.event().version());
        insert.setString(5, sql.dialect().encodeText(message.event().aggregateType()));
        insert.setString(6, sql.dialect().encodeText(message.event().key()));
        insert.setInt(7, partition);
        insert.setString(8, message.destination());
        insert.setInt(
                9,
                partitions.queueId(
                        message.destination(), message.terms().notBefore() == null ? partition : PartitionIds.DELAYED));
        insert.setString(10, message.body().contentType());
        insert.setString(11, message.body().text());
        insert.setInt(12, message.body().bytes());
        insert.setString(13, HeadersJson.write(message.context().headers()));
        insert.setString(14, sql.dialect().encodeText(message.context().correlationId()));
        insert.setString(15, sql.dialect().encodeText(message.context().causationId()));
        insert.setString(16, sql.dialect().encodeText(message.context().tenantId()));
        sql.dialect().setTime(insert, 17, message.occurredAt());
        bind(insert, message.terms());
    }

    private void bind(PreparedStatement insert, NewMessage.Terms terms) throws SQLException {
        Duration timeToLive = terms.timeToLive();
        boolean delayed = terms.notBefore() != null;
        sql.dialect().setTime(insert, 18, terms.notBefore());
        sql.dialect().setTime(insert, 19, terms.notBefore());
        sql.dialect()
                .setTime(
                        insert,
                        20,
                        delayed && timeToLive != null ? terms.notBefore().plus(timeToLive) : null);
        insert.setObject(21, delayed || timeToLive == null ? null : timeToLive.toMillis(), Types.BIGINT);
        insert.setObject(22, terms.priority(), Types.SMALLINT);
    }
}

package dev.cdioutbox.internal.store.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;

import dev.cdioutbox.OutboxMessage.Body;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.OutboxMessage.Event;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * A message for the insert, with its place in the tables.
 *
 * @param partition the id of its partition
 * @param queue the id of the partition in which it waits: its own, or that of the delayed messages
 * @param isCdc whether change data capture sends it, so that it does not wait
 */
public record NewRow(NewMessage message, String application, long partition, long queue, boolean isCdc) {

    Event event() {
        return message.event();
    }

    Body body() {
        return message.body();
    }

    Context context() {
        return message.context();
    }

    Terms terms() {
        return message.terms();
    }

    /** Null if the payload is binary. */
    String text() {
        return body().payload().isBinary() ? null : body().payload().text();
    }

    /** Null if the payload is a text. */
    byte[] binary() {
        return body().payload().isBinary() ? body().payload().toBytes() : null;
    }

    /** Null for an original. */
    String originId() {
        return context().originId() == null ? null : context().originId().toString();
    }

    /** What sends the message without waiting; null for the dispatcher. */
    String transport() {
        return isCdc ? DestinationConfig.CDC : null;
    }

    /**
     * Binds what its row in the queue is made of: the message's id, the queue, and the time from which the message is due.
     *
     * @return the number of the parameter after these
     */
    public int bindToQueue(PreparedStatement insert, int parameter, Dialect dialect) throws SQLException {
        insert.setString(parameter, message.id().toString());
        insert.setLong(parameter + 1, queue);
        dialect.setTime(insert, parameter + 2, terms().notBefore());
        return parameter + 3;
    }
}

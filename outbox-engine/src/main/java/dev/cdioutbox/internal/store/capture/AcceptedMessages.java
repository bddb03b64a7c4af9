package dev.cdioutbox.internal.store.capture;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/** Stores messages that consumers have received, each in the caller's JTA transaction. Thread-safe. */
public final class AcceptedMessages {
    private static final int ERROR_LENGTH = 2000;

    private final Connections connections;
    private final MessageInsert inserts;
    private final ColumnText texts;
    private final String find;
    private final String setAside;

    public AcceptedMessages(Connections connections, MessageInsert inserts, Sql sql) {
        this.connections = connections;
        this.inserts = inserts;
        texts = sql.texts();
        find = sql.of("SELECT seq FROM {message} WHERE message_id = :id");
        setAside = sql.of("""
                UPDATE {queue} SET status = {ABANDONED}, queue_id = -queue_id, last_attempt_at = {now}, last_error = :error
                WHERE seq = :seq""");
    }

    /** Whether there is a message with this id. */
    public boolean isStored(UUID id) {
        return connections.withConnection(
                "looking for a received message", connection -> sequence(connection, id) != null);
    }

    private Long sequence(Connection connection, UUID id) throws SQLException {
        return JdbcStatement.of(connection, find).set("id", id.toString()).number();
    }

    /**
     * Stores a message that waits to be handled.
     *
     * @param locksKey whether to lock its key, until the end of the transaction: for a caller that has not locked it already
     */
    public void store(NewMessage message, boolean locksKey) {
        inserts.write(List.of(message), locksKey);
    }

    /**
     * Stores a message that is not to be handled: it is abandoned, and does not block its key.
     *
     * @param reason why, for the operator who looks at it
     * @return its {@code seq}
     */
    public long setAside(NewMessage message, String reason) {
        inserts.write(List.of(message));
        return connections.withConnection("setting a received message aside", connection -> {
            long sequence = sequence(connection, message.id());
            JdbcStatement.of(connection, setAside)
                    .set("error", texts.of(reason, ERROR_LENGTH))
                    .set("seq", sequence)
                    .update();
            return sequence;
        });
    }
}

package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Removes messages of which nothing is to be kept, or only what the archive keeps, with the links from the audit to them; and
 * erases payloads. A settlement does so with a retention of zero, and the purge later. Thread-safe.
 */
public final class MessageRemoval {
    private final DeliveryTable deliveries;
    private final String erase;
    private final String archive;
    private final String messagesWithEntries;
    private final String deleteMessageEntries;
    private final String removeMessages;

    public MessageRemoval(Sql sql, DeliveryTable deliveries) {
        this.deliveries = deliveries;
        // Nothing is in an empty payload, and its form would be lost.
        erase = sql.of("""
                UPDATE {message} /*! FORCE INDEX (PRIMARY) */ SET payload = NULL, payload_binary = NULL
                WHERE payload_bytes > 0 AND seq IN (:sequences)""");
        archive = sql.with("columns", MessageColumn.names(MessageColumn.ARCHIVED))
                .with("values", MessageColumn.archived())
                .of("""
                INSERT INTO {archive} ({columns}, archived_at)
                SELECT {values}, {now} FROM {message} m LEFT JOIN {queue} q ON q.seq = m.seq
                  LEFT JOIN {delivery} d ON d.seq = m.seq WHERE m.seq IN (:sequences)""");
        messagesWithEntries = sql.of("SELECT DISTINCT seq FROM {audit_message} WHERE seq IN (:sequences)");
        deleteMessageEntries = sql.of("DELETE FROM {audit_message} WHERE seq = :sequence");
        removeMessages = sql.of("""
                DELETE /*! m */ FROM {message} /*! m FORCE INDEX (PRIMARY) */
                WHERE payload_bytes >= 0 AND seq IN (:sequences)""");
    }

    /** Empties the payloads of messages that are settled now. */
    void erase(Connection connection, List<Long> settled) throws SQLException {
        update(connection, erase, settled);
    }

    /** Removes or archives messages that the settlement has taken out of the queue. No purge reads these rows. */
    void removeSettled(Connection connection, RetentionConfig retention, List<Long> settled) throws SQLException {
        if (settled.isEmpty()) {
            return;
        }
        archive(connection, retention, settled);
        if (retention.archives()) {
            deliveries.delete(connection, settled);
        }
        remove(connection, settled);
    }

    /** Archives messages if the configuration says so, and deletes their links from the audit. */
    public void archive(Connection connection, RetentionConfig retention, List<Long> sequences) throws SQLException {
        if (retention.archives()) {
            update(connection, archive, sequences);
        }
        deleteMessageEntries(connection, sequences);
    }

    /**
     * Deletes the links from audit entries to these messages, but not the entries. Queries existing links first, since
     * nearly no message has one: a delete without a match would lock index gaps on MariaDB at REPEATABLE READ. Deletes them one
     * by one: by a list, MySQL reads a small table as a whole, and waits for rows that other transactions lock.
     */
    private void deleteMessageEntries(Connection connection, List<Long> sequences) throws SQLException {
        List<Long> noted = JdbcStatement.of(connection, messagesWithEntries)
                .set("sequences", sequences)
                .within(JdbcStatement.LOCK_WAIT_SECONDS)
                .numbers();
        for (long sequence : noted) {
            JdbcStatement.of(connection, deleteMessageEntries)
                    .set("sequence", sequence)
                    .within(JdbcStatement.LOCK_WAIT_SECONDS)
                    .update();
        }
    }

    /** Deletes archived messages, or those of which nothing is kept. */
    public void remove(Connection connection, List<Long> sequences) throws SQLException {
        update(connection, removeMessages, sequences);
    }

    private static void update(Connection connection, String statement, List<Long> sequences) throws SQLException {
        if (!sequences.isEmpty()) {
            JdbcStatement.of(connection, statement)
                    .set("sequences", sequences)
                    .within(JdbcStatement.LOCK_WAIT_SECONDS)
                    .update();
        }
    }
}

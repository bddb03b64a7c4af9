package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/** Asks the queue by its primary key, since an operator may have moved a message to another queue. */
public final class JdbcPendingRows implements PendingRows {
    private final Connections connections;
    private final String planByIndex;
    private final String lockPending;
    private final String pending;
    private final String pendingIds;
    private final String countUnfinishedSend;

    public JdbcPendingRows(Connections connections, Sql sql) {
        this.connections = connections;
        planByIndex = sql.dialect().planByIndex();
        lockPending = sql.of("""
                SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */
                WHERE {is pending} AND seq IN (:sequences) FOR UPDATE SKIP LOCKED""");
        pending = sql.of(
                "SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */ WHERE {is pending} AND seq IN (:sequences)");
        pendingIds = sql.of("""
                SELECT q.seq, m.message_id FROM {queue} q LEFT JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = q.seq
                WHERE {is pending} AND q.seq IN (:sequences)""");
        countUnfinishedSend =
                sql.of("UPDATE {queue} SET unfinished_sends = :count WHERE {is pending} AND seq = :sequence");
    }

    @Override
    public Set<Long> lockable(Collection<Long> sequences) {
        return found(lockPending, sequences);
    }

    @Override
    public Set<Long> pending(Collection<Long> sequences) {
        return found(pending, sequences);
    }

    private Set<Long> found(String statement, Collection<Long> sequences) {
        return sequences.isEmpty()
                ? Set.of()
                : connections.inLocalTransaction(
                        "looking for messages in doubt",
                        connection -> new HashSet<>(byIndex(connection, statement)
                                .set("sequences", sequences)
                                .numbers()));
    }

    @Override
    public Map<Long, UUID> pendingIds(Collection<Long> sequences) {
        if (sequences.isEmpty()) {
            return Map.of();
        }
        return connections.inLocalTransaction("looking for messages in doubt", connection -> {
            Map<Long, UUID> ids = new HashMap<>();
            byIndex(connection, pendingIds)
                    .set("sequences", sequences)
                    .forEach(row -> ids.put(row.getLong("seq"), id(row.getString("message_id"))));
            return ids;
        });
    }

    private static UUID id(String messageId) {
        return messageId == null ? null : UUID.fromString(messageId);
    }

    @Override
    public boolean countUnfinishedSend(long sequence, int count) {
        return connections.inLocalTransaction("counting a send", connection -> {
            int updated = byIndex(connection, countUnfinishedSend)
                    .set("count", count)
                    .set("sequence", sequence)
                    .within(JdbcStatement.LOCK_WAIT_SECONDS)
                    .update();
            connection.commit();
            return updated == 1;
        });
    }

    private JdbcStatement byIndex(Connection connection, String statement) {
        return JdbcStatement.of(connection, statement).behind(planByIndex);
    }
}

package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.SentSettlement;
import dev.cdioutbox.internal.store.UnsentSettlement;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.DeliveryTable;
import dev.cdioutbox.internal.store.sql.DeliveryTable.Outcome;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageInsert;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Writes a settlement: moves messages from the queue to the deliveries, by primary key, since an operator may have moved
 * them to another queue. A message may be missing because an operator has changed it, which is allowed. Otherwise another
 * process has settled it, so the claim was lost: the settlement throws, and the transaction rolls back.
 */
public final class SettlementWriter implements SettlementStore {
    private final Connections connections;
    private final Sql sql;
    private final DeliveryTable deliveries;
    private final RetryWriter retryWriter;
    private final RetentionSweeper sweeper;
    private final MessageInsert newMessages;
    private final int timeoutSeconds;
    private final String countUnfinishedSend;
    private final String erase;
    private final String lockPending;
    private final String pending;
    private final String pendingIds;

    /**
     * @param timeoutSeconds the longest wait for a locked row, in seconds. After a lost claim, another node may have
     *     prepared the same rows and crashed. Without a timeout, every key of the destination would wait for its
     *     recovery.
     */
    public SettlementWriter(
            Connections connections,
            Sql sql,
            DeliveryTable deliveries,
            RetryWriter retryWriter,
            RetentionSweeper sweeper,
            MessageInsert newMessages,
            int timeoutSeconds) {
        this.connections = connections;
        this.sql = sql;
        this.deliveries = deliveries;
        this.retryWriter = retryWriter;
        this.sweeper = sweeper;
        this.newMessages = newMessages;
        this.timeoutSeconds = timeoutSeconds;
        // Nothing is in an empty payload, and its form would be lost.
        erase = sql.of("""
                UPDATE {message} /*! FORCE INDEX (PRIMARY) */ SET payload = NULL, payload_binary = NULL
                WHERE payload_bytes > 0 AND seq IN (:sequences)""");
        countUnfinishedSend =
                sql.of("UPDATE {queue} SET unfinished_sends = :count WHERE {is pending} AND seq = :sequence");
        lockPending = sql.of("""
                SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */
                WHERE {is pending} AND seq IN (:sequences) FOR UPDATE SKIP LOCKED""");
        pendingIds = sql.of("""
                SELECT q.seq, m.message_id FROM {queue} q LEFT JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = q.seq
                WHERE {is pending} AND q.seq IN (:sequences)""");
        pending = sql.of(
                "SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */ WHERE {is pending} AND seq IN (:sequences)");
    }

    @Override
    public Set<Long> settleSent(SentSettlement sent) {
        return connections.withConnection("settling messages", connection -> settleSent(connection, sent));
    }

    Set<Long> settleSent(Connection connection, SentSettlement sent) throws SQLException {
        List<Long> sequences = sent.sequences();
        RetentionConfig retention = sent.retention();
        Outcome published = new Outcome(OutboxStatus.PUBLISHED, sent.mark(), sent.brokerIds());
        boolean leavesNothing = sent.removes() && !retention.archives();
        int settled = takeFromQueue(connection, sequences, published, leavesNothing);
        Set<Long> discarded = settled < sequences.size()
                ? publishDiscarded(connection, sequences, published, leavesNothing)
                : Set.of();
        check(sequences.size(), settled + discarded.size());
        erase(connection, sequences, retention);
        if (sent.removes()) {
            sweeper.removeSettled(connection, retention, sequences);
        }
        return discarded;
    }

    /** What an operator has discarded while it was sent is published nevertheless. */
    private Set<Long> publishDiscarded(
            Connection connection, List<Long> sequences, Outcome published, boolean leavesNothing) throws SQLException {
        List<Long> locked = deliveries.lockDiscarded(connection, sequences);
        if (!locked.isEmpty() && leavesNothing) {
            deliveries.delete(connection, locked);
        } else if (!locked.isEmpty()) {
            deliveries.publishDiscarded(connection, locked, published);
        }
        return Set.copyOf(locked);
    }

    @Override
    public Set<Long> settleUnsent(UnsentSettlement unsent) {
        return connections.withConnection("settling messages", connection -> settleUnsent(connection, unsent));
    }

    private Set<Long> settleUnsent(Connection connection, UnsentSettlement unsent) throws SQLException {
        List<Long> expired = new ArrayList<>(unsent.expired());
        RetentionConfig retention = unsent.retention();
        Set<Long> leftUnchanged = new HashSet<>();
        int settled = takeFromQueue(connection, expired, new Outcome(OutboxStatus.EXPIRED), leavesNothing(retention));
        if (settled < expired.size()) {
            leftUnchanged.addAll(deliveries.lockDiscarded(connection, expired));
        }
        expired.removeAll(leftUnchanged);
        for (Retry retry : unsent.retries()) {
            int updated = retryWriter.scheduleRetry(connection, retry);
            if (updated == 0 && retryWriter.isChangedByOperator(connection, retry)) {
                leftUnchanged.add(retry.sequence());
            }
            settled += updated;
        }
        check(unsent.expired().size() + unsent.retries().size(), settled + leftUnchanged.size());
        insertDeadLetters(connection, unsent.deadLetters(), leftUnchanged);
        erase(connection, expired, retention);
        removeSettled(connection, expired, retention);
        return Set.copyOf(leftUnchanged);
    }

    private void insertDeadLetters(Connection connection, Map<Long, NewMessage> letters, Set<Long> leftUnchanged)
            throws SQLException {
        List<NewMessage> due = letters.entrySet().stream()
                .filter(letter -> !leftUnchanged.contains(letter.getKey()))
                .map(Map.Entry::getValue)
                .toList();
        if (!due.isEmpty()) {
            newMessages.insert(connection, due);
        }
    }

    /** @return the number of those that still waited */
    private int takeFromQueue(Connection connection, List<Long> sequences, Outcome outcome, boolean leavesNothing)
            throws SQLException {
        return leavesNothing
                ? deliveries.remove(connection, sequences)
                : deliveries.settle(connection, sequences, outcome);
    }

    /** Whether nothing is kept of a settled message, not even for the archive. */
    private static boolean leavesNothing(RetentionConfig retention) {
        return retention.leavesWhenPublished() && !retention.archives();
    }

    private void check(int expected, int settled) {
        if (settled != expected) {
            throw OutboxCode.SETTLED_WRONG_COUNT.exception(expected, settled, sql.of("{queue}"));
        }
    }

    private void erase(Connection connection, List<Long> settled, RetentionConfig retention) throws SQLException {
        if (retention.erases() && !settled.isEmpty()) {
            JdbcStatement.of(connection, erase)
                    .set("sequences", settled)
                    .within(timeoutSeconds)
                    .update();
        }
    }

    /** Removes the messages that do not wait for the sweep. */
    private void removeSettled(Connection connection, List<Long> settled, RetentionConfig retention)
            throws SQLException {
        if (retention.leavesWhenPublished()) {
            sweeper.removeSettled(connection, retention, settled);
        }
    }

    @Override
    public Set<Long> lockable(Collection<Long> sequences) {
        return found(lockPending, sequences);
    }

    @Override
    public Set<Long> pending(Collection<Long> sequences) {
        return found(pending, sequences);
    }

    @Override
    public Map<Long, UUID> pendingIds(Collection<Long> sequences) {
        return connections.inLocalTransaction("looking for messages in doubt", connection -> {
            Map<Long, UUID> ids = new HashMap<>();
            JdbcStatement.of(connection, pendingIds)
                    .set("sequences", sequences)
                    .behind(sql.dialect().planByIndex())
                    .forEach(row -> ids.put(row.getLong("seq"), UUID.fromString(row.getString("message_id"))));
            return ids;
        });
    }

    private Set<Long> found(String statement, Collection<Long> sequences) {
        return sequences.isEmpty()
                ? Set.of()
                : connections.inLocalTransaction(
                        "looking for messages in doubt",
                        connection -> new HashSet<>(JdbcStatement.of(connection, statement)
                                .set("sequences", sequences)
                                .behind(sql.dialect().planByIndex())
                                .numbers()));
    }

    @Override
    public boolean countUnfinishedSend(long sequence, int count) {
        return connections.inLocalTransaction("counting a send", connection -> {
            int updated = JdbcStatement.of(connection, countUnfinishedSend)
                    .set("count", count)
                    .set("sequence", sequence)
                    .behind(sql.dialect().planByIndex())
                    .within(timeoutSeconds)
                    .update();
            connection.commit();
            return updated == 1;
        });
    }

    @Override
    public ColumnText columnText() {
        return sql.texts();
    }
}

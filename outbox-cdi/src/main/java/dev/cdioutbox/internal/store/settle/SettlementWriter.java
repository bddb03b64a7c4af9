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
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.internal.store.claim.Lease;
import dev.cdioutbox.internal.store.claim.LeaseTable;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.DeliveryTable;
import dev.cdioutbox.internal.store.sql.DeliveryTable.Outcome;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageWriter;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Writes a settlement: moves messages from the queue to the deliveries, by primary key, since an operator may have moved
 * them to another queue. A message may be missing because an operator has changed it, which is allowed. Otherwise another
 * process has settled it, so the claim was lost: the settlement throws, and the transaction rolls back.
 */
public final class SettlementWriter implements SettlementStore {
    private final Connections connections;
    private final Sql sql;
    private final LeaseTable leases;
    private final DeliveryTable deliveries;
    private final RetryWriter retryWriter;
    private final RetentionSweeper sweeper;
    private final MessageWriter writer;
    private final int timeoutSeconds;
    private final String countUnfinishedSend;
    // In these, %s is in the place of a list of sequences.
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
            LeaseTable leases,
            DeliveryTable deliveries,
            RetryWriter retryWriter,
            RetentionSweeper sweeper,
            MessageWriter writer,
            int timeoutSeconds) {
        this.connections = connections;
        this.sql = sql;
        this.leases = leases;
        this.deliveries = deliveries;
        this.retryWriter = retryWriter;
        this.sweeper = sweeper;
        this.writer = writer;
        this.timeoutSeconds = timeoutSeconds;
        erase = sql.with("empty", sql.dialect().emptyText())
                .of("UPDATE {message by key} SET payload = {empty} WHERE seq IN (%s)");
        countUnfinishedSend = sql.of("UPDATE {queue} SET unfinished_sends = ? WHERE {is pending} AND seq = ?");
        lockPending = sql.lockSkipLocked("seq", "queue", "{is pending} AND seq IN (%s)");
        pendingIds =
                sql.of("SELECT q.seq, m.message_id FROM {queue} q {join message} WHERE {is pending} AND q.seq IN (%s)");
        pending = sql.of("SELECT seq FROM {queue by key} WHERE {is pending} AND seq IN (%s)");
    }

    @Override
    public Settlement.Result settle(Settlement settlement, Lease lease) {
        return connections.withConnection("settling messages", connection -> {
            if (lease != null) {
                leases.fence(connection, lease);
            }
            return settle(connection, settlement);
        });
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
            JdbcStatement.of(connection, pendingIds, sequences)
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
                        connection -> new HashSet<>(JdbcStatement.of(connection, statement, sequences)
                                .behind(sql.dialect().planByIndex())
                                .numbers()));
    }

    @Override
    public boolean countUnfinishedSend(long sequence, int count) {
        return connections.inLocalTransaction("counting a send", connection -> {
            int updated = JdbcStatement.of(connection, countUnfinishedSend, count, sequence)
                    .behind(sql.dialect().planByIndex())
                    .within(timeoutSeconds)
                    .update();
            connection.commit();
            return updated == 1;
        });
    }

    Settlement.Result settle(Connection connection, Settlement settlement) throws SQLException {
        RetentionConfig retention = settlement.retention();
        List<Long> published = settlement.published();
        List<Long> expired = settlement.expired();
        // Messages with a shadow mark are kept in any case: users compare the old publisher with the marks.
        boolean isKept = settlement.shadow() != null;
        Outcome outcome = new Outcome(OutboxStatus.PUBLISHED, settlement.shadow(), settlement.brokerIds());
        boolean leavesNothing = !isKept && isDeleted(retention);
        int settled = leavesNothing
                ? deliveries.remove(connection, published)
                : deliveries.settle(connection, published, outcome);
        Set<Long> discarded = Set.of();
        if (settled < published.size()) {
            discarded = publishDiscarded(connection, published, outcome, leavesNothing);
        }
        settled += discarded.size();
        int ended = isDeleted(retention)
                ? deliveries.remove(connection, expired)
                : deliveries.settle(connection, expired, new Outcome(OutboxStatus.EXPIRED));
        Set<Long> leftUnchanged = new HashSet<>();
        if (ended < expired.size()) {
            leftUnchanged.addAll(deliveries.lockDiscarded(connection, expired));
        }
        List<Long> over = new ArrayList<>(published);
        over.addAll(expired);
        over.removeAll(leftUnchanged);
        int retried = scheduleRetries(connection, settlement.retries(), leftUnchanged);
        settled += ended + retried + leftUnchanged.size();
        int expected = published.size() + expired.size() + settlement.retries().size();
        if (settled != expected) {
            throw OutboxCode.SETTLED_WRONG_COUNT.exception(expected, settled, sql.of("{queue}"));
        }
        List<NewMessage> deadLetters = settlement.deadLetters().entrySet().stream()
                .filter(letter -> !leftUnchanged.contains(letter.getKey()))
                .map(Map.Entry::getValue)
                .toList();
        if (!deadLetters.isEmpty()) {
            writer.insert(connection, deadLetters);
        }
        // After the check of the count, so that a row that an operator discarded stays.
        cleanUp(connection, retention, over, isKept ? published : List.of());
        return new Settlement.Result(discarded, Set.copyOf(leftUnchanged));
    }

    /** What an operator has discarded while it was sent is published nevertheless. */
    private Set<Long> publishDiscarded(
            Connection connection, List<Long> published, Outcome outcome, boolean leavesNothing) throws SQLException {
        List<Long> locked = deliveries.lockDiscarded(connection, published);
        if (!locked.isEmpty() && leavesNothing) {
            deliveries.delete(connection, locked);
        } else if (!locked.isEmpty()) {
            deliveries.publishDiscarded(connection, locked, outcome);
        }
        return Set.copyOf(locked);
    }

    /** Erases payloads, and removes the messages that do not wait for the sweep. */
    private void cleanUp(Connection connection, RetentionConfig retention, List<Long> over, List<Long> kept)
            throws SQLException {
        if (retention.erases() && !over.isEmpty()) {
            JdbcStatement.of(connection, erase, over).within(timeoutSeconds).update();
        }
        if (retention.leavesWhenPublished()) {
            over.removeAll(kept);
            sweeper.removeSettled(connection, retention, over);
        }
    }

    private static boolean isDeleted(RetentionConfig retention) {
        return retention.leavesWhenPublished() && !retention.archives();
    }

    /** @param leftUnchanged gets the messages that an operator has discarded or retried meanwhile */
    private int scheduleRetries(Connection connection, List<Retry> retries, Set<Long> leftUnchanged)
            throws SQLException {
        int scheduled = 0;
        for (Retry retry : retries) {
            int updated = retryWriter.scheduleRetry(connection, retry);
            if (updated == 0 && retryWriter.isChangedByOperator(connection, retry)) {
                leftUnchanged.add(retry.sequence());
            }
            scheduled += updated;
        }
        return scheduled;
    }
}

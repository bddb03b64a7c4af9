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

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.SentSettlement;
import dev.cdioutbox.internal.store.UnsentSettlement;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.DeliveryTable;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.Texts;

/**
 * Settles what was sent: moves messages from the queue to the deliveries, by primary key, since an operator may have moved them to
 * another queue. A message may be missing because an operator has discarded it, which is allowed. Otherwise another process has
 * settled it, so the claim was lost: the settlement throws, and the transaction rolls back. {@link UnsentWriter} settles what was
 * not sent. Thread-safe.
 */
public final class SettlementWriter implements SettlementStore {
    /** The number of rows tells whether all messages still waited. */
    private static final String SETTLE_ON_POSTGRESQL = """
            WITH settled AS (
              DELETE FROM {queue} WHERE {is pending} AND seq IN (:sequences) RETURNING seq, attempts, last_error)
            INSERT INTO {delivery} (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
            SELECT seq, {PUBLISHED}, {now}, attempts + 1, NULL, {broker ids}, CAST(:shadow AS VARCHAR(64)) FROM settled""";

    /** Elsewhere, a statement locks the messages that still wait, this one copies them, and another one deletes them. */
    private static final String COPY = """
            INSERT INTO {delivery} (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
            SELECT seq, {PUBLISHED}, {now}, attempts + 1, NULL, {broker ids}, CAST(:shadow AS VARCHAR(64)) FROM {queue} /*! FORCE INDEX (PRIMARY) */ WHERE seq IN (:sequences)""";

    /** Corrects what an operator has discarded while it was sent. */
    private static final String PUBLISH_DISCARDED = """
            UPDATE {delivery} /*! FORCE INDEX (PRIMARY) */
            SET status = {PUBLISHED}, settled_at = {now}, attempts = attempts + 1, last_error = NULL,
              broker_message_id = {broker ids}, shadow_destination = CAST(:shadow AS VARCHAR(64)) WHERE seq IN (:sequences)""";

    private static final int BROKER_ID_LENGTH = 255;

    private final Connections connections;
    private final Sql sql;
    private final DeliveryTable deliveries;
    private final RetentionSweeper sweeper;
    private final UnsentWriter unsentWriter;
    private final int timeoutSeconds;
    private final boolean isPostgresql;
    private final String planByIndex;
    /** By the number of the broker's ids. */
    private final Texts<Integer> settle = new Texts<>(this::settleStatement);

    private final Texts<Integer> publishDiscarded = new Texts<>(ids -> statement(PUBLISH_DISCARDED, ids));
    private final String lock;
    private final String delete;
    private final String countUnfinishedSend;
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
            RetentionSweeper sweeper,
            UnsentWriter unsentWriter,
            int timeoutSeconds) {
        this.connections = connections;
        this.sql = sql;
        this.deliveries = deliveries;
        this.sweeper = sweeper;
        this.unsentWriter = unsentWriter;
        this.timeoutSeconds = timeoutSeconds;
        isPostgresql = sql.dialect() == SupportedDatabases.POSTGRESQL;
        planByIndex = sql.dialect().planByIndex();
        lock = isPostgresql ? null : sql.of(DeliveryTable.LOCK);
        delete = isPostgresql ? null : sql.of(DeliveryTable.DELETE);
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

    /** The statement that inserts the deliveries, and on PostgreSQL also takes the messages out of the queue. */
    public String settleStatement(int brokerIds) {
        return statement(isPostgresql ? SETTLE_ON_POSTGRESQL : COPY, brokerIds);
    }

    private String statement(String text, int brokerIds) {
        String ids = brokerIds == 0
                ? "NULL"
                : "CASE seq" + " WHEN ? THEN CAST(? AS VARCHAR(255))".repeat(brokerIds) + " END";
        return sql.with("broker ids", ids).of(text);
    }

    @Override
    public Set<Long> settleSent(SentSettlement sent) {
        return connections.withConnection("settling messages", connection -> settleSent(connection, sent));
    }

    Set<Long> settleSent(Connection connection, SentSettlement sent) throws SQLException {
        List<Long> sequences = sent.sequences();
        int settled = sent.leavesNothing() ? deliveries.remove(connection, sequences) : move(connection, sent);
        Set<Long> discarded = settled < sequences.size() ? publishDiscarded(connection, sent) : Set.of();
        if (settled + discarded.size() != sequences.size()) {
            throw OutboxCode.SETTLED_WRONG_COUNT.exception(
                    sequences.size(), settled + discarded.size(), sql.of("{queue}"));
        }
        if (sent.retention().erases()) {
            sweeper.erase(connection, sequences);
        }
        if (sent.removes()) {
            sweeper.removeSettled(connection, sent.retention(), sequences);
        }
        return discarded;
    }

    /** @return the number of those that still waited */
    private int move(Connection connection, SentSettlement sent) throws SQLException {
        List<Long> waiting = isPostgresql || sent.sequences().isEmpty()
                ? sent.sequences()
                : statement(connection, lock, sent.sequences()).numbers();
        if (waiting.isEmpty()) {
            return 0;
        }
        JdbcStatement settling = withOutcome(connection, settle, waiting, sent);
        if (isPostgresql) {
            return settling.behind(planByIndex).update();
        }
        settling.update();
        return statement(connection, delete, waiting).update();
    }

    /** What an operator has discarded while it was sent is published nevertheless. */
    private Set<Long> publishDiscarded(Connection connection, SentSettlement sent) throws SQLException {
        List<Long> locked = deliveries.lockDiscarded(connection, sent.sequences());
        if (!locked.isEmpty() && sent.leavesNothing()) {
            deliveries.delete(connection, locked);
        } else if (!locked.isEmpty()) {
            withOutcome(connection, publishDiscarded, locked, sent).update();
        }
        return Set.copyOf(locked);
    }

    private JdbcStatement withOutcome(
            Connection connection, Texts<Integer> texts, List<Long> sequences, SentSettlement sent) {
        List<Object> ids = brokerIds(sequences, sent.brokerIds());
        return statement(connection, texts.of(ids.size() / 2), sequences)
                .set("shadow", sent.mark())
                .setRepeated(ids);
    }

    /** Pairs of a sequence and a broker's id. */
    private List<Object> brokerIds(List<Long> sequences, Map<Long, String> brokerIds) {
        List<Long> named = sequences.stream().filter(brokerIds::containsKey).toList();
        int count = named.isEmpty() ? 0 : JdbcStatement.paddedCount(named.size());
        List<Object> pairs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Long sequence = named.get(Math.min(i, named.size() - 1));
            pairs.add(sequence);
            pairs.add(sql.texts().of(brokerIds.get(sequence), BROKER_ID_LENGTH));
        }
        return pairs;
    }

    private JdbcStatement statement(Connection connection, String text, List<Long> sequences) {
        return JdbcStatement.of(connection, text).set("sequences", sequences).within(timeoutSeconds);
    }

    @Override
    public Set<Long> settleUnsent(UnsentSettlement unsent) {
        return connections.withConnection("settling messages", connection -> unsentWriter.settle(connection, unsent));
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
                    .behind(planByIndex)
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
                                .behind(planByIndex)
                                .numbers()));
    }

    @Override
    public boolean countUnfinishedSend(long sequence, int count) {
        return connections.inLocalTransaction("counting a send", connection -> {
            int updated = JdbcStatement.of(connection, countUnfinishedSend)
                    .set("count", count)
                    .set("sequence", sequence)
                    .behind(planByIndex)
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

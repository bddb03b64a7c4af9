package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.Texts;

/**
 * Settles what was sent: moves messages from the queue to the deliveries, by primary key, since an operator may have moved them to
 * another queue. A message may be missing because an operator has discarded it, which is allowed. Otherwise another process has
 * settled it, so the claim was lost: the settlement throws, and the transaction rolls back. The statements that move them are in
 * {@link PostgresqlSettlement} and {@link LockingSettlement}. {@link UnsentWriter} settles what was not sent. Thread-safe.
 */
public abstract sealed class SettlementWriter implements SettlementStore
        permits PostgresqlSettlement, LockingSettlement {
    /** Corrects what an operator has discarded while it was sent. */
    private static final String PUBLISH_DISCARDED = """
            UPDATE {delivery} /*! FORCE INDEX (PRIMARY) */
            SET status = {PUBLISHED}, settled_at = {now}, attempts = attempts + 1, last_error = NULL,
              broker_message_id = {broker ids}, shadow_destination = CAST(:shadow AS VARCHAR(64)) WHERE seq IN (:sequences)""";

    private static final int BROKER_ID_LENGTH = 255;

    /** The most of the broker's ids in one statement: a message with one has three parameters, and SQL Server accepts 2100. */
    static final int MOST_BROKER_IDS = 512;

    private final Connections connections;
    private final Sql sql;
    private final DeliveryTable deliveries;
    private final MessageRemoval removal;
    private final UnsentWriter unsentWriter;
    private final int timeoutSeconds;
    private final Texts<Integer> publishDiscarded;

    SettlementWriter(
            Connections connections,
            Sql sql,
            DeliveryTable deliveries,
            MessageRemoval removal,
            UnsentWriter unsentWriter,
            int timeoutSeconds) {
        this.connections = connections;
        this.sql = sql;
        this.deliveries = deliveries;
        this.removal = removal;
        this.unsentWriter = unsentWriter;
        this.timeoutSeconds = timeoutSeconds;
        publishDiscarded = withBrokerIds(PUBLISH_DISCARDED);
    }

    /**
     * The settlement for a database.
     *
     * @param timeoutSeconds the longest wait for a locked row, in seconds. After a lost claim, another node may have
     *     prepared the same rows and crashed. Without a timeout, every key of the destination would wait for its
     *     recovery.
     */
    public static SettlementWriter of(
            Connections connections,
            Sql sql,
            DeliveryTable deliveries,
            MessageRemoval removal,
            UnsentWriter unsentWriter,
            int timeoutSeconds) {
        return sql.dialect() == SupportedDatabases.POSTGRESQL
                ? new PostgresqlSettlement(connections, sql, deliveries, removal, unsentWriter, timeoutSeconds)
                : new LockingSettlement(connections, sql, deliveries, removal, unsentWriter, timeoutSeconds);
    }

    @Override
    public Set<Long> settleSent(SentSettlement sent) {
        return connections.withConnection("settling messages", connection -> settleSent(connection, sent));
    }

    /** The same on this connection, for the row of a probe. */
    public Set<Long> settleSent(Connection connection, SentSettlement sent) throws SQLException {
        List<Long> sequences = sent.sequences();
        int settled = sent.leavesNothing() ? deliveries.remove(connection, sequences) : move(connection, sent);
        Set<Long> discarded = settled < sequences.size() ? publishDiscarded(connection, sent) : Set.of();
        if (settled + discarded.size() != sequences.size()) {
            throw OutboxCode.SETTLED_WRONG_COUNT.exception(
                    sequences.size(), settled + discarded.size(), sql.of("{queue}"));
        }
        if (sent.retention().erases()) {
            removal.erase(connection, sequences);
        }
        if (sent.removes()) {
            removal.removeSettled(connection, sent.retention(), sequences);
        }
        return discarded;
    }

    /** Moves the messages that still wait. Returns their number. */
    abstract int move(Connection connection, SentSettlement sent) throws SQLException;

    /** The statement that inserts the deliveries, with this number of the broker's ids. */
    public abstract String moveStatement(int brokerIds);

    /** What an operator has discarded while it was sent is published nevertheless. */
    private Set<Long> publishDiscarded(Connection connection, SentSettlement sent) throws SQLException {
        List<Long> locked = deliveries.lockDiscarded(connection, sent.sequences());
        if (sent.leavesNothing()) {
            deliveries.delete(connection, locked);
        } else {
            for (List<Long> part : parts(locked, sent)) {
                outcome(connection, publishDiscarded, part, sent).update();
            }
        }
        return Set.copyOf(locked);
    }

    /** The messages of each statement that writes the broker's ids. Empty if there are no messages. */
    static List<List<Long>> parts(List<Long> sequences, SentSettlement sent) {
        int most = sent.brokerIds().isEmpty() ? Math.max(1, sequences.size()) : MOST_BROKER_IDS;
        return IntStream.range(0, (sequences.size() + most - 1) / most)
                .mapToObj(part -> sequences.subList(part * most, Math.min(sequences.size(), (part + 1) * most)))
                .toList();
    }

    /** The texts of a statement that writes the outcome of messages, by the number of the broker's ids. */
    final Texts<Integer> withBrokerIds(String text) {
        return new Texts<>(number -> sql.with("broker ids", brokerIds(number)).of(text));
    }

    private static String brokerIds(int number) {
        return number == 0 ? "NULL" : "CASE seq" + " WHEN ? THEN CAST(? AS VARCHAR(255))".repeat(number) + " END";
    }

    /** Such a statement for these messages. */
    final JdbcStatement outcome(
            Connection connection, Texts<Integer> texts, List<Long> sequences, SentSettlement sent) {
        List<Object> ids = sequencesWithIds(sequences, sent.brokerIds());
        return statement(connection, texts.of(ids.size() / 2), sequences)
                .set("shadow", sent.mark())
                .setRepeated(ids);
    }

    /** Pairs of a sequence and its broker's id, of which the last is repeated up to a padded count. */
    private List<Object> sequencesWithIds(List<Long> sequences, Map<Long, String> brokerIds) {
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

    final JdbcStatement statement(Connection connection, String text, List<Long> sequences) {
        return JdbcStatement.of(connection, text).set("sequences", sequences).within(timeoutSeconds);
    }

    @Override
    public Set<Long> settleUnsent(UnsentSettlement unsent) {
        return connections.withConnection("settling messages", connection -> unsentWriter.settle(connection, unsent));
    }

    @Override
    public ColumnText columnText() {
        return sql.texts();
    }
}

package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.ColumnText;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;

/**
 * Writes a settlement by primary key. If another process has changed a row since the claim, the claim was lost, and the
 * settlement throws so that the transaction rolls back. Changes of operators are allowed; the writer searches for them
 * if rows are missing.
 */
public final class SettlementWriter {
    private static final int BROKER_ID_LENGTH = 255;

    private final String table;
    private final Dialect dialect;
    private final RetryWriter retryWriter;
    private final RetentionSweeper sweeper;
    private final int timeoutSeconds;
    private final String publish;
    private final String expire;
    // In these, %s is in the place of a list of sequences.
    private final String deleteSettled;
    private final String lockDiscarded;
    private final String undoDiscard;

    /**
     * @param timeoutSeconds the longest wait for a locked row, in seconds. After a lost claim, another node may have
     *     prepared the same rows and crashed. Without a timeout, every key of the destination would wait for its
     *     recovery.
     */
    public SettlementWriter(
            String prefix, Dialect dialect, RetryWriter retryWriter, RetentionSweeper sweeper, int timeoutSeconds) {
        this.table = prefix + "message";
        this.dialect = dialect;
        this.retryWriter = retryWriter;
        this.sweeper = sweeper;
        this.timeoutSeconds = timeoutSeconds;
        String message = dialect.byPrimaryKey(table);
        publish = """
                UPDATE %s SET status = 'PUBLISHED', attempts = attempts + 1, last_attempt_at = %s, published_at = %s,
                  last_error = NULL, available_at = NULL, %s, shadow_destination = ?""".formatted(message, dialect.now(), dialect.now(), QueueId.SETTLE);
        expire = "UPDATE %s SET status = 'EXPIRED', last_attempt_at = %s, available_at = NULL, %s"
                .formatted(message, dialect.now(), QueueId.SETTLE);
        deleteSettled = dialect.deleteByPrimaryKey(table) + finished(false);
        String discarded = QueueId.IS_SETTLED + " AND status = 'DISCARDED' AND seq IN (%s)";
        lockDiscarded = dialect.lock("seq", message, discarded);
        // The same transaction then settles the row, so no other transaction sees this state.
        undoDiscard = "UPDATE " + message + " SET status = 'PENDING', " + QueueId.UNSETTLE + " WHERE " + discarded;
    }

    /**
     * The first parameter is the shadow destination or null; then follow pairs of a sequence and a broker's id, then
     * the sequences.
     */
    public String publish(int names, boolean erases) {
        // The column gives the parameters a type, which Db2 asks for; its value is null.
        String named =
                names == 0 ? "NULL" : "CASE seq" + " WHEN ? THEN ?".repeat(names) + " ELSE broker_message_id END";
        return publish + ", broker_message_id = " + named + finished(erases);
    }

    public String expire(boolean erases) {
        return expire + finished(erases);
    }

    private String finished(boolean erases) {
        return (erases ? ", payload = " + dialect.emptyText() : "") + " WHERE " + QueueId.isPending(dialect)
                + " AND seq IN (%s)";
    }

    public Settlement.Result settle(Connection connection, Settlement settlement) throws SQLException {
        List<Long> published = settlement.published();
        List<Long> discarded = List.of();
        int settled = publish(connection, settlement, published);
        if (settled < published.size()) {
            discarded = discarded(connection, published);
            settled += publishDiscarded(connection, settlement, discarded);
        }
        List<Long> remaining = new ArrayList<>();
        int expired = expire(connection, settlement);
        if (expired < settlement.expired().size()) {
            remaining.addAll(discarded(connection, settlement.expired()));
        }
        List<Long> over = new ArrayList<>(isKept(settlement) ? List.of() : published);
        over.addAll(settlement.expired());
        over.removeAll(remaining);
        settled += expired + scheduleRetries(connection, settlement.retries(), remaining) + remaining.size();
        int expected = published.size()
                + settlement.expired().size()
                + settlement.retries().size();
        if (settled != expected) {
            throw Problem.SETTLED_WRONG_COUNT.exception(expected, settled, table);
        }
        if (settlement.retention().leavesWhenPublished() && !over.isEmpty()) {
            // After the check of the count, so that a row that an operator discarded stays.
            sweeper.removeSettled(connection, settlement.retention(), over);
        }
        return new Settlement.Result(Set.copyOf(discarded), Set.copyOf(remaining));
    }

    /**
     * Locks the rows that an operator has discarded, so that their status does not change until the transaction ends.
     */
    private List<Long> discarded(Connection connection, List<Long> sequences) throws SQLException {
        return JdbcStatement.of(connection, lockDiscarded, sequences)
                .within(timeoutSeconds)
                .numbers();
    }

    private int publishDiscarded(Connection connection, Settlement settlement, List<Long> discarded)
            throws SQLException {
        if (discarded.isEmpty()) {
            return 0;
        }
        update(connection, undoDiscard, discarded);
        return publish(connection, settlement, discarded);
    }

    /** Whether the messages are kept in any case: users compare the old publisher with the shadow marks. */
    private static boolean isKept(Settlement settlement) {
        return settlement.shadow() != null;
    }

    private int publish(Connection connection, Settlement settlement, List<Long> sequences) throws SQLException {
        if (sequences.isEmpty()) {
            return 0;
        }
        if (!isKept(settlement) && isDeleted(settlement.retention())) {
            return update(connection, deleteSettled, sequences);
        }
        List<Long> named = new ArrayList<>(sequences);
        named.retainAll(settlement.brokerIds().keySet());
        int names = named.isEmpty() ? 0 : JdbcStatement.paddedCount(named.size());
        List<Object> parameters = new ArrayList<>();
        parameters.add(settlement.shadow());
        for (int i = 0; i < names; i++) {
            Long sequence = named.get(Math.min(i, named.size() - 1));
            parameters.add(sequence);
            parameters.add(ColumnText.truncated(settlement.brokerIds().get(sequence), BROKER_ID_LENGTH));
        }
        parameters.add(sequences);
        return update(connection, publish(names, settlement.retention().erases()), parameters.toArray());
    }

    private int expire(Connection connection, Settlement settlement) throws SQLException {
        RetentionConfig retention = settlement.retention();
        String statement = isDeleted(retention) ? deleteSettled : expire(retention.erases());
        return settlement.expired().isEmpty() ? 0 : update(connection, statement, settlement.expired());
    }

    private static boolean isDeleted(RetentionConfig retention) {
        return retention.leavesWhenPublished() && !retention.archives();
    }

    private int update(Connection connection, String statement, Object... parameters) throws SQLException {
        return JdbcStatement.of(connection, statement, parameters)
                .within(timeoutSeconds)
                .update();
    }

    /** @param remaining receives the messages that an operator has discarded or retried */
    private int scheduleRetries(Connection connection, List<Retry> retries, List<Long> remaining) throws SQLException {
        int settled = 0;
        for (Retry retry : retries) {
            int postponed = retryWriter.scheduleRetry(connection, retry);
            if (postponed == 0 && retryWriter.isChangedByOperator(connection, retry)) {
                remaining.add(retry.sequence());
            }
            settled += postponed;
        }
        return settled;
    }
}

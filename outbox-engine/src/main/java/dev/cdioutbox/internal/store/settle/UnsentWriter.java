package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.capture.MessageInsert;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Settles what was not sent: ends expired messages, writes retries, and inserts copies for a dead-letter destination. As for
 * {@link SettlementWriter}, only an operator may have changed a message. Thread-safe.
 */
public final class UnsentWriter {
    private final DeliveryTable deliveries;
    private final RetryWriter retryWriter;
    private final MessageRemoval removal;
    private final MessageInsert newMessages;
    private final String queue;

    public UnsentWriter(
            Sql sql,
            DeliveryTable deliveries,
            RetryWriter retryWriter,
            MessageRemoval removal,
            MessageInsert newMessages) {
        this.deliveries = deliveries;
        this.retryWriter = retryWriter;
        this.removal = removal;
        this.newMessages = newMessages;
        queue = sql.of("{queue}");
    }

    /** @return the messages that stay as they are, because an operator has changed them since the claim */
    Set<Long> settle(Connection connection, UnsentSettlement unsent) throws SQLException {
        Set<Long> leftUnchanged = new HashSet<>();
        int settled = expire(connection, unsent.expired(), unsent.retention(), leftUnchanged);
        for (Retry retry : unsent.retries()) {
            int updated = retryWriter.write(connection, retry);
            if (updated == 0 && retryWriter.isChangedByOperator(connection, retry)) {
                leftUnchanged.add(retry.sequence());
            }
            settled += updated;
        }
        int expected = unsent.expired().size() + unsent.retries().size();
        if (settled + leftUnchanged.size() != expected) {
            throw OutboxCode.SETTLED_WRONG_COUNT.exception(expected, settled + leftUnchanged.size(), queue);
        }
        insertDeadLetters(connection, unsent.deadLetters(), leftUnchanged);
        removeExpired(connection, unsent, leftUnchanged);
        return Set.copyOf(leftUnchanged);
    }

    /** @return the number of those that still waited */
    private int expire(Connection connection, List<Long> expired, RetentionConfig retention, Set<Long> leftUnchanged)
            throws SQLException {
        int settled = retention.leavesWhenPublished() && !retention.archives()
                ? deliveries.removeExpired(connection, expired)
                : deliveries.expire(connection, expired);
        if (settled < expired.size()) {
            leftUnchanged.addAll(deliveries.lockDiscarded(connection, expired));
            leftUnchanged.addAll(deliveries.lockRetried(connection, expired));
        }
        return settled;
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

    private void removeExpired(Connection connection, UnsentSettlement unsent, Set<Long> leftUnchanged)
            throws SQLException {
        List<Long> expired = new ArrayList<>(unsent.expired());
        expired.removeAll(leftUnchanged);
        if (unsent.retention().erases()) {
            removal.erase(connection, expired);
        }
        if (unsent.retention().leavesWhenPublished()) {
            removal.removeSettled(connection, unsent.retention(), expired);
        }
    }
}

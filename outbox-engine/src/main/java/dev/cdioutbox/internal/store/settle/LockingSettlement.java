package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.Texts;

/**
 * Where no statement can delete and insert at once, the settlement locks the messages that still wait, copies them to the
 * deliveries, and deletes them from the queue.
 */
final class LockingSettlement extends SettlementWriter {
    private static final String COPY = """
            INSERT INTO {delivery} (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
            SELECT seq, {PUBLISHED}, {now}, attempts + 1, NULL, {broker ids}, CAST(:shadow AS VARCHAR(64)) FROM {queue} /*! FORCE INDEX (PRIMARY) */ WHERE seq IN (:sequences)""";

    private final String lock;
    private final Texts<Integer> copy;
    private final String delete;

    LockingSettlement(
            Connections connections,
            Sql sql,
            DeliveryTable deliveries,
            MessageRemoval removal,
            UnsentWriter unsentWriter,
            int timeoutSeconds) {
        super(connections, sql, deliveries, removal, unsentWriter, timeoutSeconds);
        lock = sql.of(DeliveryTable.LOCK);
        copy = withBrokerIds(COPY);
        delete = sql.of(DeliveryTable.DELETE);
    }

    @Override
    int move(Connection connection, SentSettlement sent) throws SQLException {
        List<Long> waiting = sent.sequences().isEmpty()
                ? List.of()
                : statement(connection, lock, sent.sequences()).numbers();
        if (waiting.isEmpty()) {
            return 0;
        }
        for (List<Long> part : parts(waiting, sent)) {
            outcome(connection, copy, part, sent).update();
        }
        return statement(connection, delete, waiting).update();
    }

    @Override
    public String moveStatement(int brokerIds) {
        return copy.of(brokerIds);
    }
}

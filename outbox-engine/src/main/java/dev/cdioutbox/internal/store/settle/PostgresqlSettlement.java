package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;

import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.Texts;

/** On PostgreSQL, one statement takes messages out of the queue and inserts their deliveries. */
final class PostgresqlSettlement extends SettlementWriter {
    private static final String SETTLE = """
            WITH settled AS (
              DELETE FROM {queue} WHERE {is pending} AND seq IN (:sequences) RETURNING seq, attempts, last_error)
            INSERT INTO {delivery} (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
            SELECT seq, {PUBLISHED}, {now}, attempts + 1, NULL, {broker ids}, CAST(:shadow AS VARCHAR(64)) FROM settled""";

    private final Texts<Integer> settle;
    private final String planByIndex;

    PostgresqlSettlement(
            Connections connections,
            Sql sql,
            DeliveryTable deliveries,
            MessageRemoval removal,
            UnsentWriter unsentWriter,
            int timeoutSeconds) {
        super(connections, sql, deliveries, removal, unsentWriter, timeoutSeconds);
        settle = withBrokerIds(SETTLE);
        planByIndex = sql.dialect().planByIndex();
    }

    @Override
    int move(Connection connection, SentSettlement sent) throws SQLException {
        return sent.sequences().isEmpty()
                ? 0
                : outcome(connection, settle, sent.sequences(), sent)
                        .behind(planByIndex)
                        .update();
    }

    @Override
    public String moveStatement(int brokerIds) {
        return settle.of(brokerIds);
    }
}

package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.internal.store.sql.ColumnText;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.OutboxStatements;
import dev.cdioutbox.internal.store.sql.SequenceInList;

/** The update of published messages: one statement, with or without the broker's message ids. */
final class PublishedUpdate {
    private static final int BROKER_ID_LENGTH = 255;

    /** A CASE with more ids would be slow, since the database compares each row with each id. */
    private static final int MAX_IDS_PER_STATEMENT = 1024;

    private final Settlement settlement;

    PublishedUpdate(Settlement settlement) {
        this.settlement = settlement;
    }

    int update(Connection connection, OutboxStatements sql, List<Long> all, int timeoutSeconds) throws SQLException {
        if (all.isEmpty()) {
            return 0;
        }
        if (settlement.brokerIds().isEmpty()) {
            return updateSome(connection, sql, all, timeoutSeconds);
        }
        int settled = 0;
        for (int from = 0; from < all.size(); from += MAX_IDS_PER_STATEMENT) {
            settled += updateSome(
                    connection,
                    sql,
                    all.subList(from, Math.min(all.size(), from + MAX_IDS_PER_STATEMENT)),
                    timeoutSeconds);
        }
        return settled;
    }

    private int updateSome(Connection connection, OutboxStatements sql, List<Long> sequences, int timeoutSeconds)
            throws SQLException {
        List<Long> named = new ArrayList<>(sequences);
        named.retainAll(settlement.brokerIds().keySet());
        int names = named.isEmpty() ? 0 : SequenceInList.paddedCount(named.size());
        List<Object> parameters = new ArrayList<>();
        parameters.add(settlement.shadow());
        for (int i = 0; i < names; i++) {
            Long sequence = named.get(Math.min(i, named.size() - 1));
            parameters.add(sequence);
            parameters.add(ColumnText.truncated(settlement.brokerIds().get(sequence), BROKER_ID_LENGTH));
        }
        parameters.add(sequences);
        return JdbcStatement.of(
                        connection, sql.settle(names, settlement.retention().erases()), parameters.toArray())
                .within(timeoutSeconds)
                .update();
    }
}

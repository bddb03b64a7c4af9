package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.FencingToken;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * The {@link FencingToken} of each destination. It has a row among the partitions. The lock of
 * the first partition keeps other owners away for the time of a claim. Thread-safe.
 */
final class FencingTokenTable {
    private final Connections connections;
    private final PartitionIds partitions;
    private final String lock;
    private final String read;
    private final String begin;
    private final String replace;

    FencingTokenTable(Connections connections, Sql sql, PartitionIds partitions) {
        this.connections = connections;
        this.partitions = partitions;
        lock = sql.of("SELECT id FROM {partition} /*! FORCE INDEX (PRIMARY) */ WHERE id = :id FOR UPDATE SKIP LOCKED");
        read = sql.of("SELECT fencing_token FROM {partition} WHERE id = :id");
        begin = sql.of("""
                UPDATE {partition} /*! FORCE INDEX (PRIMARY) */ SET fencing_token = :after
                WHERE id = :id AND fencing_token IS NULL""");
        replace = sql.of("""
                UPDATE {partition} /*! FORCE INDEX (PRIMARY) */ SET fencing_token = :after
                WHERE id = :id AND fencing_token = :before""");
    }

    /** @return whether no other claim has the destination */
    boolean lock(Connection connection, String destination) throws SQLException {
        long first = partitions.first(destination);
        return JdbcStatement.of(connection, lock).set("id", first).number() != null;
    }

    /**
     * @return null if the destination never had an owner; {@link FencingToken#UNKNOWN} if the row was deleted, since this is asked for
     *     waiting messages
     * @throws dev.cdioutbox.OutboxException OBX-0449 if the text is not that of a token
     */
    FencingToken read(Connection connection, String destination) throws SQLException {
        List<String> found =
                JdbcStatement.of(connection, read).set("id", row(destination)).list(row -> row.getString(1));
        return found.isEmpty() ? FencingToken.UNKNOWN : parse(found.get(0), destination);
    }

    private static FencingToken parse(String text, String destination) {
        try {
            return FencingToken.parse(text);
        } catch (IllegalArgumentException e) {
            throw OutboxCode.FOREIGN_TOKEN.exception(e, destination, text);
        }
    }

    /**
     * Replaces the token, in the caller's JTA transaction.
     *
     * @param before null if there was none
     * @return false if another owner has replaced it
     */
    boolean replace(String destination, FencingToken before, FencingToken after) {
        return connections.withConnection("noting a settled batch", connection -> {
            int replaced = JdbcStatement.of(connection, before == null ? begin : replace)
                    .set("before", before == null ? null : before.text())
                    .set("after", after.text())
                    .set("id", row(destination))
                    .within(JdbcStatement.LOCK_WAIT_SECONDS)
                    .update();
            return replaced == 1;
        });
    }

    private long row(String destination) {
        return partitions.id(destination, PartitionIds.FENCING_TOKEN);
    }
}

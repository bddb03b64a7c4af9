package dev.cdioutbox.internal.store.node;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.XADataSource;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.settle.DeliveryTable;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import dev.cdioutbox.internal.store.settle.SettlementWriter;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * A row that a probe settles in place of a message, with the statements and in the tables of a settlement. Its sequence is
 * negative, no message belongs to it, and no claim reads its queue. Each probe has its own row: two nodes never wait for each
 * other, even if one of them crashes in its probe.
 */
public final class JdbcProbeStore implements ProbeStore {
    private static final Logger LOG = Logger.getLogger(JdbcProbeStore.class.getName());

    /** Longer than any probe: a row of this age was left by a process that has crashed in one. */
    private static final Duration LEFT_BEHIND = Duration.ofHours(1);

    private static final long NO_ROW = 0;

    private final Connections connections;
    private final String database;
    private final SettlementWriter writer;
    /** Null if the database does not limit them. */
    private final String preparedTransactions;

    private final String insert;
    private final String lockWaiting;
    private final String lockSettled;
    private final String deleteWaiting;
    private final String deleteSettled;

    /** @param database the database's own name and version */
    public JdbcProbeStore(Connections connections, String database, Sql sql, SettlementWriter writer) {
        this.connections = connections;
        this.database = database;
        this.writer = writer;
        preparedTransactions = sql.dialect() == SupportedDatabases.POSTGRESQL
                ? "SELECT CAST(current_setting('max_prepared_transactions') AS INT), (SELECT COUNT(*) FROM pg_prepared_xacts)"
                : null;
        insert = sql.of("INSERT INTO {queue} (seq, queue_id, last_attempt_at) VALUES (:sequence, :queue, {now})");
        lockWaiting = sql.of("""
                SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */
                WHERE seq < 0 AND (seq = :sequence OR last_attempt_at < {now + :age}) FOR UPDATE SKIP LOCKED""");
        lockSettled = sql.of("""
                SELECT seq FROM {delivery} /*! FORCE INDEX (PRIMARY) */
                WHERE seq < 0 AND (seq = :sequence OR settled_at < {now + :age}) FOR UPDATE SKIP LOCKED""");
        deleteWaiting = sql.of(DeliveryTable.DELETE);
        deleteSettled = sql.of(DeliveryTable.DELETE_DELIVERIES);
    }

    @Override
    public String database() {
        return database;
    }

    @Override
    public PreparedTransactions preparedTransactions() {
        return preparedTransactions == null
                ? null
                : connections.withConnection("looking at the prepared transactions", connection -> JdbcStatement.of(
                                connection, preparedTransactions)
                        .first(row -> new PreparedTransactions(row.getInt(1), row.getInt(2))));
    }

    /** Most drivers have one class for each kind of DataSource. A server's DataSource shows the class that it wraps. */
    @Override
    public String dataSourceProblem() {
        DataSource source = connections.dataSource();
        try {
            return source.isWrapperFor(ConnectionPoolDataSource.class) && !source.isWrapperFor(XADataSource.class)
                    ? "the DataSource is a javax.sql.ConnectionPoolDataSource, and no javax.sql.XADataSource"
                    : null;
        } catch (SQLException unknown) {
            LOG.log(Level.FINE, "the DataSource does not show what it wraps", unknown);
            return null;
        }
    }

    @Override
    public long insert() {
        return connections.inLocalTransaction("inserting the row of a probe", connection -> {
            long sequence = -ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
            statement(connection, insert)
                    .set("sequence", sequence)
                    .set("queue", QueueId.NOWHERE.value())
                    .update();
            connection.commit();
            return sequence;
        });
    }

    @Override
    public void settle(long sequence, RetentionConfig retention) {
        RetentionConfig deleting =
                new RetentionConfig(retention.published(), retention.abandoned(), false, retention.erases());
        SentSettlement sent = new SentSettlement(List.of(sequence), deleting, null, Map.of());
        connections.withConnection("settling the row of a probe", connection -> writer.settleSent(connection, sent));
    }

    @Override
    public void delete(long sequence) {
        connections.inLocalTransaction("deleting the row of a probe", connection -> {
            delete(connection, sequence);
            connection.commit();
            return null;
        });
    }

    /** Deletes the rows that crashed processes have left, unless another transaction has locked them. */
    public void purge(Connection connection) throws SQLException {
        delete(connection, NO_ROW);
    }

    private void delete(Connection connection, long sequence) throws SQLException {
        delete(connection, sequence, lockWaiting, deleteWaiting);
        delete(connection, sequence, lockSettled, deleteSettled);
    }

    private void delete(Connection connection, long sequence, String lock, String delete) throws SQLException {
        List<Long> free = statement(connection, lock)
                .set("sequence", sequence)
                .set("age", -LEFT_BEHIND.toMillis())
                .numbers();
        if (!free.isEmpty()) {
            statement(connection, delete).set("sequences", free).update();
        }
    }

    private JdbcStatement statement(Connection connection, String text) {
        return JdbcStatement.of(connection, text).within(JdbcStatement.LOCK_WAIT_SECONDS);
    }
}

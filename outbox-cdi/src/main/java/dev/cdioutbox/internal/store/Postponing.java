package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;

import dev.cdioutbox.OutboxStatus;

/**
 * Puts a message that was not sent where it waits: behind the gate of its key, which is made if there is none; or, where
 * nothing has to wait for it, beside the delayed ones.
 */
final class Postponing {
    private static final int ERROR_LENGTH = 2000;

    private final Statements sql;
    private final GateStatements gates;
    private final Partitions partitions;

    Postponing(Statements sql, GateStatements gates, Partitions partitions) {
        this.sql = sql;
        this.gates = gates;
        this.partitions = partitions;
    }

    /**
     * @return 0 if the message no longer waits, or was charged less often than when it was claimed; or more often, if this attempt
     *     is none, since it would take back what another one was charged after the claim was lost
     */
    int postpone(Connection connection, Retry retry, int timeoutSeconds) throws SQLException {
        long queue;
        try (PreparedStatement select = connection.prepareStatement(gates.waiting)) {
            select.setQueryTimeout(timeoutSeconds);
            select.setLong(1, retry.sequence());
            try (ResultSet row = select.executeQuery()) {
                if (!row.next() || !retry.follows(row.getInt("attempts"))) {
                    return 0;
                }
                queue = queue(connection, retry, row, timeoutSeconds);
            }
        }
        try (PreparedStatement update = connection.prepareStatement(sql.postpone)) {
            update.setQueryTimeout(timeoutSeconds);
            update.setString(1, retry.status().name());
            update.setInt(2, retry.attempts());
            update.setString(3, Column.fitting(Column.clean(retry.error()), ERROR_LENGTH));
            setDelay(update, 4, retry.delay());
            update.setLong(5, queue);
            update.setLong(6, retry.sequence());
            return update.executeUpdate();
        }
    }

    /** Whether an operator has discarded the message since it was claimed, or has given it all its attempts again. */
    boolean isSteered(Connection connection, Retry retry, int timeoutSeconds) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(gates.steered)) {
            select.setQueryTimeout(timeoutSeconds);
            select.setLong(1, retry.sequence());
            select.setInt(2, retry.attemptsBefore());
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    private long queue(Connection connection, Retry retry, ResultSet row, int timeoutSeconds) throws SQLException {
        long now = row.getLong("queue_id");
        boolean gated = now > Integer.MAX_VALUE;
        // As it is stored, and goes into the gate.
        String key = row.getString("ordering_key");
        // Of a row that cannot be read it is not known whether it has a key; where nobody waits for it, it must not
        // wait either.
        boolean holds = retry.holdsKey() && key != null;
        if (retry.status() == OutboxStatus.ABANDONED && !holds) {
            return -(gated ? partition(connection, now) : now);
        }
        if (gated) {
            postpone(connection, now, retry.delay(), timeoutSeconds);
            return now;
        }
        return key == null
                ? partitions.queueId(row.getString("destination"), Partitions.DELAYED)
                : gate(connection, now, key, retry.delay(), timeoutSeconds);
    }

    /** Of a gate, which is there for as long as a message is behind it. */
    private long partition(Connection connection, long gate) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(gates.partition)) {
            select.setLong(1, gate);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : gate;
            }
        }
    }

    /** Locks the gate, if it is there: then nobody removes it. */
    private int postpone(Connection connection, long gate, Duration delay, int timeoutSeconds) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(gates.postpone)) {
            update.setQueryTimeout(timeoutSeconds);
            setDelay(update, 1, delay);
            update.setLong(2, gate);
            return update.executeUpdate();
        }
    }

    /** Not an update by the key: where there is none, some databases would lock the place that it could have. */
    private long gate(Connection connection, long partition, String key, Duration delay, int timeoutSeconds)
            throws SQLException {
        Long found = find(connection, partition, key);
        if (found != null && postpone(connection, found, delay, timeoutSeconds) == 1) {
            return found;
        }
        try (PreparedStatement insert = connection.prepareStatement(gates.insert)) {
            insert.setQueryTimeout(timeoutSeconds);
            setDelay(insert, 1, delay);
            insert.setLong(2, partition);
            insert.setString(3, key);
            insert.executeUpdate();
        }
        return find(connection, partition, key);
    }

    private Long find(Connection connection, long partition, String key) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(gates.find)) {
            select.setLong(1, partition);
            select.setString(2, key);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : null;
            }
        }
    }

    private static void setDelay(PreparedStatement statement, int parameter, Duration delay) throws SQLException {
        if (delay == null) {
            statement.setNull(parameter, Types.BIGINT);
        } else {
            statement.setLong(parameter, delay.toMillis());
        }
    }
}

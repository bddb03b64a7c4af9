package dev.cdioutbox.internal.store.node;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.dialect.Dialect;

/** The rows of dispatching processes. */
public final class NodeTable {
    /** In seconds. Nodes lock these rows for a moment only, and a lock must not delay the stop of the application. */
    private static final int TIMEOUT_SECONDS = 5;

    /** A living node inserts its row again after a deletion, so an error here is harmless. */
    private static final Duration MAX_SILENCE = Duration.ofDays(7);

    private final String application;
    private final NodeStatements sql;
    private final Dialect dialect;

    public NodeTable(String application, NodeStatements sql, Dialect dialect) {
        this.application = application;
        this.sql = sql;
        this.dialect = dialect;
    }

    public void writeHeartbeat(Connection connection, NodeIdentity node, int partitions) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql.heartbeat)) {
            update.setQueryTimeout(TIMEOUT_SECONDS);
            update.setInt(1, partitions);
            update.setString(2, node.id());
            if (update.executeUpdate() == 0) {
                insert(connection, node);
            }
        }
    }

    private void insert(Connection connection, NodeIdentity node) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql.insert)) {
            insert.setString(1, node.id());
            insert.setString(2, application);
            insert.setString(3, node.module());
            insert.setString(4, node.host());
            insert.setString(5, node.server());
            insert.setLong(6, node.process());
            insert.setString(7, node.version());
            insert.executeUpdate();
        }
    }

    /** The latest heartbeat first. */
    public List<OutboxNode> all(Connection connection) throws SQLException {
        List<OutboxNode> nodes = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql.all)) {
            select.setString(1, application);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    nodes.add(node(rows));
                }
            }
        }
        return nodes;
    }

    public boolean delete(Connection connection, String node) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(sql.delete)) {
            delete.setQueryTimeout(TIMEOUT_SECONDS);
            delete.setString(1, node);
            return delete.executeUpdate() > 0;
        }
    }

    /** Deletes the rows of processes without a heartbeat for a long time. Each crashed process leaves a row. */
    public void sweep(Connection connection) throws SQLException {
        // Skips rows that another node is deleting, so that concurrent sweeps do not wait for each other.
        List<String> dead = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql.lockStale)) {
            select.setLong(1, -MAX_SILENCE.toMillis());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    dead.add(rows.getString(1));
                }
            }
        }
        for (String node : dead) {
            delete(connection, node);
        }
    }

    private OutboxNode node(ResultSet row) throws SQLException {
        Instant lastSeen = dialect.time(row, "last_tick_at");
        Duration silent = Duration.between(lastSeen, dialect.time(row, "read_at"));
        return new OutboxNode(
                row.getString("node_id"),
                row.getString("module_name"),
                row.getString("host"),
                row.getString("server"),
                row.getLong("process"),
                row.getString("version"),
                dialect.time(row, "started_at"),
                lastSeen,
                silent.isNegative() ? Duration.ZERO : silent,
                row.getInt("partitions_held"));
    }
}

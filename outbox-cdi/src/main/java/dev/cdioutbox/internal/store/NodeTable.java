package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.OutboxNode;

/** Who dispatches. */
final class NodeTable {
    private final String application;
    private final Statements sql;

    NodeTable(String application, Statements sql) {
        this.application = application;
        this.sql = sql;
    }

    void touch(Connection connection, NodeIdentity node, int partitions) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql.touchNode)) {
            update.setInt(1, partitions);
            update.setString(2, node.id());
            if (update.executeUpdate() == 0) {
                insert(connection, node);
            }
        }
    }

    private void insert(Connection connection, NodeIdentity node) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql.insertNode)) {
            insert.setString(1, node.id());
            insert.setString(2, application);
            insert.setString(3, node.host());
            insert.setString(4, node.server());
            insert.setLong(5, node.process());
            insert.setString(6, node.version());
            insert.executeUpdate();
        }
    }

    /** The one that was seen last, first. */
    List<OutboxNode> all(Connection connection) throws SQLException {
        List<OutboxNode> nodes = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql.nodes)) {
            select.setString(1, application);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    nodes.add(node(rows));
                }
            }
        }
        return nodes;
    }

    private OutboxNode node(ResultSet row) throws SQLException {
        Instant lastSeen = sql.dialect().time(row, "last_tick_at");
        Duration silent = Duration.between(lastSeen, sql.dialect().time(row, "read_at"));
        return new OutboxNode(
                row.getString("node_id"),
                row.getString("host"),
                row.getString("server"),
                row.getLong("process"),
                row.getString("version"),
                sql.dialect().time(row, "started_at"),
                lastSeen,
                silent.isNegative() ? Duration.ZERO : silent,
                row.getInt("partitions_held"));
    }
}

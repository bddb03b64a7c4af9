package dev.cdioutbox.internal.store.node;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxNode;

/** The rows of dispatching processes: writes heartbeats, reads and deletes the rows, and purges old ones. */
public final class NodeTable implements NodeStore {
    /** In seconds. Nodes lock these rows for a moment only, and a lock must not delay the stop of the application. */
    private static final int TIMEOUT_SECONDS = 5;

    /** A living node inserts its row again after a deletion, so an error here is harmless. */
    private static final Duration MAX_SILENCE = Duration.ofDays(7);

    private static final int MODULE_LENGTH = 64;

    private static final int NAME_LENGTH = 255;

    private final Connections connections;
    private final String application;
    private final ColumnText texts;
    private final Dialect dialect;
    private final String heartbeat;
    private final String insert;
    private final String all;
    private final String delete;
    private final String lockStale;

    public NodeTable(Connections connections, String application, Sql sql) {
        this.connections = connections;
        this.application = application;
        this.texts = sql.texts();
        this.dialect = sql.dialect();
        heartbeat =
                sql.of("UPDATE {node} SET last_tick_at = {now}, partitions_held = :partitions WHERE node_id = :node");
        insert = sql.of("""
                INSERT INTO {node} (node_id, application, module_name, host, server, process, version, partitions_held, started_at,
                  last_tick_at)
                VALUES (:node, :application, :module, :host, :server, :process, :version, :partitions, {now}, {now})""");
        all = sql.of("""
                SELECT node_id, module_name, host, server, process, version, partitions_held, {time started_at} AS started_at,
                  {time last_tick_at} AS last_tick_at, {time {now}} AS read_at
                FROM {node} WHERE application = :application ORDER BY last_tick_at DESC""");
        delete = sql.of("DELETE FROM {node} WHERE node_id = :node");
        lockStale = sql.of("SELECT node_id FROM {node} WHERE last_tick_at < {now + :age} FOR UPDATE SKIP LOCKED");
    }

    @Override
    public void writeHeartbeat(ThisNode node, int partitions) {
        connections.withConnection("writing this node's row", connection -> {
            int updated = statement(connection, heartbeat)
                    .set("partitions", partitions)
                    .set("node", node.id())
                    .update();
            if (updated == 0) {
                statement(connection, insert)
                        .set("node", node.id())
                        .set("application", application)
                        .set("module", texts.of(node.module(), MODULE_LENGTH))
                        .set("host", texts.of(node.host(), NAME_LENGTH))
                        .set("server", texts.of(node.server(), NAME_LENGTH))
                        .set("process", node.process())
                        .set("version", node.version())
                        .set("partitions", partitions)
                        .update();
            }
            return null;
        });
    }

    @Override
    public List<OutboxNode> all() {
        return connections.withConnection("reading the nodes' rows", connection -> statement(connection, all)
                .set("application", application)
                .list(this::node));
    }

    @Override
    public boolean delete(String node) {
        return connections.withConnection("deleting a node's row", connection -> delete(connection, node));
    }

    private boolean delete(Connection connection, String node) throws SQLException {
        return statement(connection, delete).set("node", node).update() > 0;
    }

    /** Deletes the rows of processes without a heartbeat for a long time. Each crashed process leaves a row. */
    public void purge(Connection connection) throws SQLException {
        // Skips rows that another node is deleting, so that concurrent purges do not wait for each other.
        List<String> dead = statement(connection, lockStale)
                .set("age", -MAX_SILENCE.toMillis())
                .list(row -> row.getString(1));
        for (String node : dead) {
            delete(connection, node);
        }
    }

    private static JdbcStatement statement(Connection connection, String text) {
        return JdbcStatement.of(connection, text).within(TIMEOUT_SECONDS);
    }

    private OutboxNode node(ResultSet row) throws SQLException {
        Instant lastSeen = dialect.time(row, "last_tick_at");
        Duration silent = Duration.between(lastSeen, dialect.time(row, "read_at"));
        return new NodeStore.Row(
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

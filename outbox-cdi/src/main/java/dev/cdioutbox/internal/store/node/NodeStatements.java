package dev.cdioutbox.internal.store.node;

import dev.cdioutbox.internal.store.dialect.Dialect;

/** The SQL of the processes that dispatch, built once for a table prefix and a dialect. */
public final class NodeStatements {
    final String heartbeat;
    final String insert;
    final String all;
    final String delete;
    final String lockStale;

    public NodeStatements(String prefix, Dialect dialect) {
        String node = prefix + "node";
        heartbeat =
                "UPDATE %s SET last_tick_at = %s, partitions_held = ? WHERE node_id = ?".formatted(node, dialect.now());
        insert = """
                INSERT INTO %s (node_id, application, module_name, host, server, process, version, started_at, last_tick_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, %s, %s)""".formatted(node, dialect.now(), dialect.now());
        all = """
                SELECT node_id, module_name, host, server, process, version, partitions_held, %s AS started_at,
                  %s AS last_tick_at, %s AS read_at
                FROM %s WHERE application = ? ORDER BY last_tick_at DESC""".formatted(
                        dialect.selectTime("started_at"),
                        dialect.selectTime("last_tick_at"),
                        dialect.selectTime(dialect.now()),
                        node);
        delete = "DELETE FROM %s WHERE node_id = ?".formatted(node);
        lockStale = dialect.lockSkipLocked("node_id", node, "last_tick_at < " + dialect.nowPlusMillis());
    }
}

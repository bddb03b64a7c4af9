package dev.cdioutbox.internal.store;

import java.util.List;

/** The SQL of the processes that dispatch, built once for a table prefix and a dialect. */
final class NodeStatements {
    final String touch;
    final String insert;
    final String all;
    final String sending;
    final String delete;
    final String lockDead;

    NodeStatements(String prefix, Dialect dialect) {
        String node = prefix + "node";
        touch = "UPDATE %s SET last_tick_at = %s, partitions_held = ? WHERE node_id = ?".formatted(node, dialect.now());
        insert = """
                INSERT INTO %s (node_id, application, host, server, process, version, started_at, last_tick_at)
                VALUES (?, ?, ?, ?, ?, ?, %s, %s)""".formatted(node, dialect.now(), dialect.now());
        all = """
                SELECT node_id, host, server, process, version, partitions_held, sending, %s AS started_at,
                  %s AS last_tick_at, %s AS read_at
                FROM %s WHERE application = ? ORDER BY last_tick_at DESC""".formatted(
                        dialect.read("started_at"), dialect.read("last_tick_at"), dialect.read(dialect.now()), node);
        sending = "UPDATE %s SET sending = ? WHERE node_id = ?".formatted(node);
        delete = "DELETE FROM %s WHERE node_id = ?".formatted(node);
        lockDead = dialect.lockFree("node_id", node, "last_tick_at < " + dialect.nowPlusMillis());
    }

    static List<String> shape(String prefix) {
        return List.of(
                "SELECT node_id, application, host, server, process, version, last_tick_at, partitions_held, sending FROM %snode WHERE 1 = 0"
                        .formatted(prefix));
    }
}

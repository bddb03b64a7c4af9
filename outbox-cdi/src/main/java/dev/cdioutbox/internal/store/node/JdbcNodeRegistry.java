package dev.cdioutbox.internal.store.node;

import java.util.List;

import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.store.NodeRegistry;
import dev.cdioutbox.internal.store.sql.Connections;

/** Accesses the table of dispatching processes with JDBC. */
public final class JdbcNodeRegistry implements NodeRegistry {
    private final Connections connections;
    private final NodeTable table;

    public JdbcNodeRegistry(Connections connections, NodeTable table) {
        this.connections = connections;
        this.table = table;
    }

    @Override
    public List<OutboxNode> nodes() {
        return connections.inOwnTransaction(
                "reading the nodes' rows", transaction -> table.all(transaction.connection()));
    }

    @Override
    public void deleteNode(String node) {
        connections.inOwnTransaction("deleting a node's row", transaction -> {
            table.delete(transaction.connection(), node);
            transaction.commit();
            return null;
        });
    }
}

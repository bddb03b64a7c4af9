package dev.cdioutbox.internal.store;

import java.util.List;

import dev.cdioutbox.OutboxNode;

/** The table of the processes through JDBC. */
final class JdbcNodeRegistry implements NodeRegistry {
    private final Connections connections;
    private final NodeTable table;

    JdbcNodeRegistry(Connections connections, NodeTable table) {
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

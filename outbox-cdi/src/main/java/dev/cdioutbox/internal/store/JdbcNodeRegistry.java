package dev.cdioutbox.internal.store;

import java.util.List;

/** The table of the processes through JDBC. */
final class JdbcNodeRegistry implements NodeRegistry {
    private final Connections connections;
    private final NodeTable table;

    JdbcNodeRegistry(Connections connections, NodeTable table) {
        this.connections = connections;
        this.table = table;
    }

    @Override
    public List<NodeRow> nodeRows() {
        return connections.inOwnTransaction(
                "reading the nodes' rows", transaction -> table.nodeRows(transaction.connection()));
    }

    @Override
    public void recordSending(NodeIdentity node, Long sequence) {
        connections.inOwnTransaction("noting what is sent alone", transaction -> {
            table.recordSending(transaction.connection(), node, sequence);
            transaction.commit();
            return null;
        });
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

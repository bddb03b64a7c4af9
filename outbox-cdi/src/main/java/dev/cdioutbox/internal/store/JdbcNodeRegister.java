package dev.cdioutbox.internal.store;

import java.util.List;

/** The table of the processes through JDBC. */
final class JdbcNodeRegister implements NodeRegister {
    private final Connections connections;
    private final NodeTable table;

    JdbcNodeRegister(Connections connections, NodeTable table) {
        this.connections = connections;
        this.table = table;
    }

    @Override
    public List<NodeTrace> traces() {
        return connections.runApart("reading the nodes' rows", transaction -> table.traces(transaction.connection()));
    }

    @Override
    public void sending(NodeIdentity node, Long sequence) {
        connections.runApart("noting what is sent alone", transaction -> {
            table.sending(transaction.connection(), node, sequence);
            transaction.commit();
            return null;
        });
    }

    @Override
    public void forget(String node) {
        connections.runApart("deleting a node's row", transaction -> {
            table.delete(transaction.connection(), node);
            transaction.commit();
            return null;
        });
    }
}

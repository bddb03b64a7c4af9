package dev.cdioutbox.internal.store;

import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

import dev.cdioutbox.internal.problem.Problem;

/** The table of the processes through JDBC. */
final class JdbcNodeRegister implements NodeRegister {
    private final DataSource dataSource;
    private final NodeTable table;

    JdbcNodeRegister(DataSource dataSource, NodeTable table) {
        this.dataSource = dataSource;
        this.table = table;
    }

    @Override
    public List<NodeTrace> traces() {
        return apart("reading the nodes' rows", transaction -> table.traces(transaction.connection()));
    }

    @Override
    public void sending(NodeIdentity node, Long sequence) {
        apart("noting what is sent alone", transaction -> {
            table.sending(transaction.connection(), node, sequence);
            transaction.commit();
            return null;
        });
    }

    @Override
    public void forget(String node) {
        apart("deleting a node's row", transaction -> {
            table.delete(transaction.connection(), node);
            transaction.commit();
            return null;
        });
    }

    private <T> T apart(String what, Work<T> work) {
        try (OwnTransaction transaction = OwnTransaction.begin(dataSource)) {
            return work.in(transaction);
        } catch (SQLException e) {
            throw Problem.DATABASE_FAILED.exception(e, what, Problem.reason(e));
        }
    }

    private interface Work<T> {
        T in(OwnTransaction transaction) throws SQLException;
    }
}

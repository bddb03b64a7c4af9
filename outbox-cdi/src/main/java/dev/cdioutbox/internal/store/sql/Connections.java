package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Runs work on a DataSource. Failures are thrown as an {@link OutboxException} that names the work: OBX-0302, or the
 * exception of the work itself.
 */
public record Connections(DataSource dataSource) {

    /** In the caller's transaction, if there is one. */
    public <T> T withConnection(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            return work.on(connection);
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    /** In a transaction of its own, on a connection of its own. */
    public <T> T inOwnTransaction(String what, TransactionWork<T> work) {
        try (OwnTransaction transaction = begin()) {
            return work.in(transaction);
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    public OwnTransaction begin() throws SQLException {
        return OwnTransaction.begin(dataSource);
    }

    public static RuntimeException failed(String what, Exception e) {
        return e instanceof RuntimeException known
                ? known
                : Problem.DATABASE_FAILED.exception(e, what, Problem.reason(e));
    }

    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    public interface TransactionWork<T> {
        T in(OwnTransaction transaction) throws SQLException;
    }
}

package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Runs work on a DataSource. Throws an SQL failure as an {@link OutboxException} that names the work (OBX-0302); other
 * exceptions of the work pass unchanged.
 */
public record Connections(DataSource dataSource) {

    /** Runs work in the caller's transaction, if there is one. */
    public <T> T withConnection(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            return work.on(connection);
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    /** Runs work in a separate transaction, on a separate connection. */
    public <T> T inLocalTransaction(String what, TransactionWork<T> work) {
        try (LocalTransaction transaction = begin()) {
            return work.in(transaction);
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    public LocalTransaction begin() throws SQLException {
        return LocalTransaction.begin(dataSource);
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
        T in(LocalTransaction transaction) throws SQLException;
    }
}

package dev.cdioutbox.internal.store.capture;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Guards that a write's timeout is reported as a timeout, and any other failure unchanged. */
class InsertBatchTest {
    /** PostgreSQL's message names a cancel by the user. The stack trace must still contain that message. */
    @Test
    void statementThatTookTooLongIsSaidToHaveTakenTooLong() {
        SQLException canceled =
                new BatchUpdateException("ERROR: canceling statement due to user request", "57014", new int[0], null);

        assertThatThrownBy(() -> execute(connection(canceled)))
                .isInstanceOf(SQLTimeoutException.class)
                .hasMessage("the statement took longer than 30 s, because another transaction holds a lock or the"
                        + " database is slow")
                .hasSuppressedException(canceled);
    }

    @Test
    void otherFailureIsThrownAsItIs() {
        SQLException refused = new SQLException("ERROR: null value", "23502");

        assertThatThrownBy(() -> execute(connection(refused))).isSameAs(refused);
    }

    private static void execute(Connection connection) throws SQLException {
        InsertBatch.execute(connection, "INSERT", List.of(), 1, (insert, none) -> {});
    }

    private static Connection connection(SQLException failure) {
        PreparedStatement statement = fake(PreparedStatement.class, method -> {
            if (method.equals("executeBatch")) {
                throw failure;
            }
            return null;
        });
        return fake(Connection.class, prepare -> statement);
    }

    private static <T> T fake(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.to(method.getName())));
    }

    private interface Answer {
        Object to(String method) throws SQLException;
    }
}

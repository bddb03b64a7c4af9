package dev.cdioutbox.internal.store.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards the finding about a user who may not list prepared transactions. MariaDB needs no right for that, so MySQL's
 * refusal is given in its place.
 */
@Tag("database")
class XaRecoveryTest {
    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.MARIADB);

    @Test
    void userWhoMayListThemIsNotWarnedOf() throws SQLException {
        try (Connection connection = connection()) {
            assertThat(findings(connection)).isEmpty();
        }
    }

    @Test
    void userWithoutTheRightIsWarnedOf() throws SQLException {
        try (Connection connection = connection()) {
            assertThat(findings(proxy(Connection.class, connection)))
                    .singleElement()
                    .asString()
                    .startsWith("OBX-0328: the database refuses to list prepared transactions to root")
                    .contains("XAER_RMERR", "GRANT XA_RECOVER_ADMIN ON *.* TO");
        }
    }

    private Connection connection() throws SQLException {
        Connection connection = database.dataSource().getConnection();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return connection;
    }

    private static <T> T proxy(Class<T> type, T target) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, values) -> {
                    if (method.getName().startsWith("execute") && "XA RECOVER".equals(values[0])) {
                        throw new SQLException(
                                "XAER_RMERR: Fatal error occurred in the transaction branch - check your data for consistency",
                                "XAE03",
                                1401);
                    }
                    try {
                        Object result = method.invoke(target, values);
                        return result instanceof Statement statement ? proxy(Statement.class, statement) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static List<Finding> findings(Connection connection) throws SQLException {
        return SupportedDatabases.findings(SupportedDatabases.of(connection), connection);
    }
}

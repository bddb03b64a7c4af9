package dev.cdioutbox.internal.store.dialect;

import static org.assertj.core.api.Assertions.assertThat;

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
 * Guards the finding on a Galera cluster, where several servers accept writes. No test starts a cluster; a single
 * server's answer is replaced.
 */
@Tag("database")
class GaleraTest {
    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.MARIADB);

    @Test
    void singleServerIsNotWarnedOf() throws SQLException {
        try (Connection connection = connection()) {
            assertThat(findings(connection)).isEmpty();
        }
    }

    @Test
    void serverOfAClusterIsWarnedOf() throws SQLException {
        try (Connection connection = connection()) {
            assertThat(findings(answering(connection, "SELECT 'wsrep_cluster_size', '3'")))
                    .singleElement()
                    .asString()
                    .startsWith("OBX-0316");
        }
    }

    private Connection connection() throws SQLException {
        Connection connection = database.dataSource().getConnection();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return connection;
    }

    private static Connection answering(Connection connection, String query) {
        return proxy(Connection.class, connection, query);
    }

    private static <T> T proxy(Class<T> type, T target, String query) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, values) -> {
                    if (method.getName().equals("executeQuery")
                            && values[0].toString().contains("wsrep_cluster_size")) {
                        values[0] = query;
                    }
                    Object result = method.invoke(target, values);
                    return result instanceof Statement statement ? proxy(Statement.class, statement, query) : result;
                }));
    }

    private static List<Finding> findings(Connection connection) throws SQLException {
        return SupportedDatabases.findings(SupportedDatabases.of(connection), connection);
    }
}

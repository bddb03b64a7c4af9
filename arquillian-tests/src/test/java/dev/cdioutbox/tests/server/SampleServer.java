package dev.cdioutbox.tests.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One server with the sample for all tests that can share it, and its database, into which they look and write. Each leaves
 * the server as it found it: dispatching, with nothing waiting.
 */
public final class SampleServer implements AutoCloseable {
    public static final String ADMIN = "operator";
    public static final String STRANGER = "visitor";

    private final LibertyServer server;

    private SampleServer() {
        server = LibertyServer.sample("sample")
                .withUser(STRANGER)
                .sharingItsDatabase()
                .start();
    }

    public LibertyServer server() {
        return server;
    }

    public SampleClient sample() {
        return new SampleClient(server::url);
    }

    public int update(String sql, Object... parameters) {
        try (Connection connection = connection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** To its database, beside it. */
    public Connection connection() throws SQLException {
        return DriverManager.getConnection(server.databaseUrl() + ";AUTO_SERVER=TRUE", "sa", "");
    }

    @Override
    public void close() {
        server.close();
    }

    /** Hands the server to the tests; it is started for the first of them and stopped after the last. */
    public static final class Shared implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
            return parameter.getParameter().getType() == SampleServer.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
            return test.getRoot()
                    .getStore(ExtensionContext.Namespace.create(SampleServer.class))
                    .getOrComputeIfAbsent(SampleServer.class, type -> new SampleServer(), SampleServer.class);
        }
    }
}

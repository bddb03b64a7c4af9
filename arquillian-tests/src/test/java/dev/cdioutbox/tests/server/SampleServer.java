package dev.cdioutbox.tests.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One server with the sample, shared by the tests that can share it. The tests also read and write its database. Each
 * test leaves the server with a running dispatcher and without pending messages.
 */
public final class SampleServer implements AutoCloseable {
    public static final String VIEWER = "viewer";
    public static final String SUPPORT = "support";
    public static final String ADMIN = "operator";
    /** Of the users of the sample. */
    public static final String PASSWORD = "try-it";

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

    /** Opens the server's database beside the server. */
    public Connection connection() throws SQLException {
        return DriverManager.getConnection(server.databaseUrl() + ";AUTO_SERVER=TRUE", "sa", "");
    }

    @Override
    public void close() {
        server.close();
    }

    /**
     * Passes the server to tests as a parameter. JUnit starts it for the first test and closes it after the last one.
     */
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

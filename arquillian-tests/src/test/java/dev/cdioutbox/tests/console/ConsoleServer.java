package dev.cdioutbox.tests.console;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One server with the sample for all tests of the console, and its database, into which they look and write. */
final class ConsoleServer implements AutoCloseable {
    static final String ADMIN = "operator";
    static final String STRANGER = "visitor";

    private final LibertyServer server;

    private ConsoleServer() {
        server = LibertyServer.sample("console")
                .withUser(STRANGER)
                .sharingItsDatabase()
                .start();
    }

    LibertyServer server() {
        return server;
    }

    SampleClient sample() {
        return new SampleClient(server::url);
    }

    int update(String sql, Object... parameters) {
        try (Connection connection = DriverManager.getConnection(server.databaseUrl() + ";AUTO_SERVER=TRUE", "sa", "");
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }

    /** Hands server and browser to the tests; each is started for the first and stopped after the last of them. */
    static final class Shared implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
            Class<?> type = parameter.getParameter().getType();
            return type == ConsoleServer.class || type == Chromium.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
            ExtensionContext.Store store =
                    test.getRoot().getStore(ExtensionContext.Namespace.create(ConsoleServer.class));
            return parameter.getParameter().getType() == Chromium.class
                    ? store.getOrComputeIfAbsent(Chromium.class, type -> Chromium.open(), Chromium.class)
                    : store.getOrComputeIfAbsent(ConsoleServer.class, type -> new ConsoleServer(), ConsoleServer.class);
        }
    }
}

package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

import org.h2.tools.Server;

/** An H2 server on a TCP port. A test can stop and start the database while Liberty servers use it. */
public final class H2Server implements AutoCloseable {
    private final Path home;
    private final int port;
    private Server server;

    public H2Server(String name) {
        try {
            home = LibertyServer.fresh(name);
            port = LibertyServer.freePort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public H2Server start() {
        try {
            server = Server.createTcpServer(
                            "-tcpPort", String.valueOf(port), "-baseDir", home.toString(), "-ifNotExists", "-tcpDaemon")
                    .start();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return this;
    }

    /** Stops the server and closes all connections. */
    public void stop() {
        server.stop();
    }

    String url() {
        return "jdbc:h2:tcp://localhost:" + port + "/./outbox";
    }

    public int update(String sql, String... values) {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The first column of all rows. */
    public List<String> texts(String sql) {
        try (Connection connection = connect()) {
            return FirstColumn.of(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(url(), "sa", "");
    }

    @Override
    public void close() {
        stop();
    }
}

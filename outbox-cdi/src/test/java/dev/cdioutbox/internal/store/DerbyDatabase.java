package dev.cdioutbox.internal.store;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Derby in memory, a database of its own for each. */
public final class DerbyDatabase implements DataSource {
    private final String url = "jdbc:derby:memory:" + UUID.randomUUID() + ";create=true";

    static {
        System.setProperty("derby.stream.error.file", "target/derby.log");
        // Seconds. By default it looks after twenty whether those who wait do so in a circle.
        System.setProperty("derby.locks.deadlockTimeout", "1");
        System.setProperty("derby.locks.waitTimeout", "10");
    }

    @Override
    public Connection getConnection() throws SQLException {
        return DriverManager.getConnection(url);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        // Derby has a file of its own
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // it is in this JVM
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("derby");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}

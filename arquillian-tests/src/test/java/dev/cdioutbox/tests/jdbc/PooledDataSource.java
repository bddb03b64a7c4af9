package dev.cdioutbox.tests.jdbc;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.PooledConnection;

import org.h2.jdbcx.JdbcDataSource;

/** H2's DataSource without XA. As in most drivers, the class is one kind of DataSource only. */
public final class PooledDataSource implements ConnectionPoolDataSource {
    private final JdbcDataSource driver = new JdbcDataSource();

    public void setURL(String url) {
        driver.setURL(url);
    }

    public void setUser(String user) {
        driver.setUser(user);
    }

    public void setPassword(String password) {
        driver.setPassword(password);
    }

    @Override
    public PooledConnection getPooledConnection() throws SQLException {
        return driver.getPooledConnection();
    }

    @Override
    public PooledConnection getPooledConnection(String user, String password) throws SQLException {
        return driver.getPooledConnection(user, password);
    }

    @Override
    public PrintWriter getLogWriter() {
        return driver.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        driver.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) {
        driver.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() {
        return driver.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }
}

package dev.cdioutbox.tests.jdbc;

import java.io.PrintWriter;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.CommonDataSource;

import org.h2.jdbcx.JdbcDataSource;

/** What the two DataSources over H2's have in common: the settings that the server writes into them. */
public abstract class H2DataSource implements CommonDataSource {
    final JdbcDataSource driver = new JdbcDataSource();

    public final void setURL(String url) {
        driver.setURL(url);
    }

    public final void setUser(String user) {
        driver.setUser(user);
    }

    public final void setPassword(String password) {
        driver.setPassword(password);
    }

    @Override
    public final PrintWriter getLogWriter() {
        return driver.getLogWriter();
    }

    @Override
    public final void setLogWriter(PrintWriter out) {
        driver.setLogWriter(out);
    }

    @Override
    public final void setLoginTimeout(int seconds) {
        driver.setLoginTimeout(seconds);
    }

    @Override
    public final int getLoginTimeout() {
        return driver.getLoginTimeout();
    }

    @Override
    public final Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }
}

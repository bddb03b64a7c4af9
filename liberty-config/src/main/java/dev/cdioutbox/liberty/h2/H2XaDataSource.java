package dev.cdioutbox.liberty.h2;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.XAConnection;
import javax.sql.XADataSource;

import org.h2.jdbcx.JdbcDataSource;

/**
 * H2's DataSource for XA, with two faults of H2 2.4 and 2.5 mended that keep a transaction manager from ending what a
 * death has left in doubt (Open Liberty's issue 34826 lists them):
 *
 * <ul>
 *   <li>Of several branches in doubt, H2 rolls back only the first one, and reports success for the others. They
 *       stay: their locks last until the next restart, which ends one more.
 *   <li>H2 rolls back a prepared branch when its connection is closed. Liberty closes it when it could not reach another
 *       resource of the transaction, a broker that died in its commit say, and commits the branch later.
 * </ul>
 *
 * {@code server.xml} names it in place of {@code org.h2.jdbcx.JdbcDataSource}; the same attributes apply. Thread-safe once it
 * is configured.
 */
public final class H2XaDataSource implements XADataSource {
    private final JdbcDataSource h2 = new JdbcDataSource();

    /** @param url H2's, {@code jdbc:h2:…} */
    public void setURL(String url) {
        h2.setURL(url);
    }

    public void setUser(String user) {
        h2.setUser(user);
    }

    public void setPassword(String password) {
        h2.setPassword(password);
    }

    @Override
    public XAConnection getXAConnection() throws SQLException {
        return new H2XaConnection(h2.getXAConnection());
    }

    @Override
    public XAConnection getXAConnection(String user, String password) throws SQLException {
        return new H2XaConnection(h2.getXAConnection(user, password));
    }

    @Override
    public PrintWriter getLogWriter() {
        return h2.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        h2.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) {
        h2.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() {
        return h2.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("H2 does not use java.util.logging");
    }
}

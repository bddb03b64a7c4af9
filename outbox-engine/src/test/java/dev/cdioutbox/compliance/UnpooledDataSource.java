package dev.cdioutbox.compliance;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** The parts of a DataSource that a test does not need: user, log writer, login time-out and wrappers. */
public abstract class UnpooledDataSource implements DataSource {
    @Override
    public final Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public final PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public final void setLogWriter(PrintWriter out) {
        // The driver's URL configures its log.
    }

    @Override
    public final void setLoginTimeout(int seconds) {
        // The driver's URL configures its time-out.
    }

    @Override
    public final int getLoginTimeout() {
        return 0;
    }

    @Override
    public final Logger getParentLogger() {
        return Logger.getLogger("dev.cdioutbox.compliance");
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) {
        return false;
    }
}

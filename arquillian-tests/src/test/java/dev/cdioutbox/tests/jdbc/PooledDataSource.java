package dev.cdioutbox.tests.jdbc;

import java.sql.SQLException;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.PooledConnection;

/** H2's DataSource without XA. As in most drivers, the class is one kind of DataSource only. */
public final class PooledDataSource extends H2DataSource implements ConnectionPoolDataSource {
    @Override
    public PooledConnection getPooledConnection() throws SQLException {
        return driver.getPooledConnection();
    }

    @Override
    public PooledConnection getPooledConnection(String user, String password) throws SQLException {
        return driver.getPooledConnection(user, password);
    }
}

package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;

import dev.cdioutbox.compliance.UnpooledDataSource;

/** Derby in memory; each instance is a separate database. */
public final class DerbyDatabase extends UnpooledDataSource {
    private final String url = "jdbc:derby:memory:" + UUID.randomUUID() + ";create=true";

    static {
        System.setProperty("derby.stream.error.file", "target/derby.log");
        // In seconds. By default, Derby searches for a deadlock after 20 s.
        System.setProperty("derby.locks.deadlockTimeout", "1");
        System.setProperty("derby.locks.waitTimeout", "10");
    }

    @Override
    public Connection getConnection() throws SQLException {
        return DriverManager.getConnection(url);
    }
}

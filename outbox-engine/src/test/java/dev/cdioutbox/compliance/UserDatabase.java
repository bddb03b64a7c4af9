package dev.cdioutbox.compliance;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The user's database, by the JDBC URL in {@code outbox.compliance.url}; H2 in memory without this property. */
final class UserDatabase extends UnpooledDataSource {
    private static final String URL =
            System.getProperty("outbox.compliance.url", "jdbc:h2:mem:compliance;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=30000");
    private static final String USER = System.getProperty("outbox.compliance.user");
    private static final String PASSWORD = System.getProperty("outbox.compliance.password");

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = DriverManager.getConnection(URL, USER, PASSWORD);
        // The fragments of liberty-config set this isolation too.
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return connection;
    }

    /** Drops the tables of a test, and the views that read them. */
    void dropTables(String prefix) throws SQLException {
        try (Connection connection = getConnection();
                Statement drop = connection.createStatement()) {
            for (String view : names(connection, prefix, "VIEW")) {
                drop.execute("DROP VIEW " + view);
            }
            for (String table : names(connection, prefix, "TABLE", "BASE TABLE")) {
                drop.execute("DROP TABLE " + table);
            }
        }
    }

    private static List<String> names(Connection connection, String prefix, String... types) throws SQLException {
        List<String> names = new ArrayList<>();
        try (ResultSet rows = connection.getMetaData().getTables(connection.getCatalog(), null, "%", types)) {
            while (rows.next()) {
                String name = rows.getString("TABLE_NAME");
                if (name.toLowerCase(Locale.ROOT).startsWith(prefix)) {
                    names.add(name);
                }
            }
        }
        return names;
    }
}

package dev.cdioutbox.tests.server;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The sample's database, while its server is down. */
public final class SampleDatabase implements AutoCloseable {
    private final Connection connection;

    SampleDatabase(Path file) {
        try {
            connection = DriverManager.getConnection("jdbc:h2:file:" + file + ";WRITE_DELAY=0;IFEXISTS=TRUE", "sa", "");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public int update(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    public List<String> texts(String sql) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
        }
        return texts;
    }

    public List<Integer> numbers(String sql) throws SQLException {
        return texts(sql).stream().map(Integer::valueOf).toList();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}

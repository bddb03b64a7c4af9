package dev.cdioutbox.internal.store.admin;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

import dev.cdioutbox.OutboxOperations;

/** Creates and reads the rows with the paused state of each destination. */
public final class ControlTable {
    private final String application;
    private final OperatorStatements sql;

    public ControlTable(String application, OperatorStatements sql) {
        this.application = application;
        this.sql = sql;
    }

    public void prepare(Connection connection, Set<String> destinations) throws SQLException {
        Set<String> wanted = new HashSet<>(destinations);
        wanted.add(OutboxOperations.ALL);
        for (String destination : wanted) {
            if (!exists(connection, destination)) {
                insert(connection, destination);
            }
        }
    }

    private boolean exists(Connection connection, String destination) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.isPaused)) {
            select.setString(1, application);
            select.setString(2, destination);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    private void insert(Connection connection, String destination) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql.insertControl)) {
            insert.setString(1, application);
            insert.setString(2, destination);
            insert.executeUpdate();
        } catch (SQLException perhapsThereByNow) {
            // Two nodes that start at the same time may both insert the row.
            if (!exists(connection, destination)) {
                throw perhapsThereByNow;
            }
        }
    }

    /** The paused destinations. */
    public Set<String> paused(Connection connection) throws SQLException {
        Set<String> paused = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(sql.paused)) {
            select.setString(1, application);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    paused.add(rows.getString(1));
                }
            }
        }
        return paused;
    }
}

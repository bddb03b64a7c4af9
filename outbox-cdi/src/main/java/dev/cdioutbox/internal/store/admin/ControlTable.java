package dev.cdioutbox.internal.store.admin;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

import dev.cdioutbox.OutboxOperations;
import dev.cdioutbox.internal.store.sql.JdbcStatement;

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
        return JdbcStatement.of(connection, sql.isPaused, application, destination)
                        .number()
                != null;
    }

    private void insert(Connection connection, String destination) throws SQLException {
        try {
            JdbcStatement.of(connection, sql.insertControl, application, destination)
                    .update();
        } catch (SQLException perhapsThereByNow) {
            // Two nodes that start at the same time may both insert the row.
            if (!exists(connection, destination)) {
                throw perhapsThereByNow;
            }
        }
    }

    /** The paused destinations. */
    public Set<String> paused(Connection connection) throws SQLException {
        return new HashSet<>(
                JdbcStatement.of(connection, sql.paused, application).list(row -> row.getString(1)));
    }
}

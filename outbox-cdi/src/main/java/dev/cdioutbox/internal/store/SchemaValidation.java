package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import dev.cdioutbox.internal.problem.Problem;

/** Checks that the tables have the shape of this version. */
final class SchemaValidation {
    private final String prefix;
    private final OutboxStatements sql;

    SchemaValidation(String prefix, OutboxStatements sql) {
        this.prefix = prefix;
        this.sql = sql;
    }

    /** Selects every column without reading a row: a wrong table fails here and not at the first event. */
    String problem(Connection connection) throws SQLException {
        if (isViewATable(connection)) {
            return "%smessage_view is a table, made by a persistence unit that generates its schema; drop it, it must be a view"
                    .formatted(prefix);
        }
        for (String probe : sql.shapeQueries) {
            try (Statement select = connection.createStatement()) {
                select.execute(probe);
            } catch (SQLException wrongShape) {
                return Problem.reason(wrongShape);
            }
        }
        return null;
    }

    boolean isViewATable(Connection connection) throws SQLException {
        return number(connection, sql.viewIsTable, 1) > 0;
    }

    static int number(Connection connection, String query, int column) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet row = select.executeQuery(query)) {
            row.next();
            return row.getInt(column);
        }
    }
}

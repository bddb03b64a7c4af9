package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.problem.Problem;

/** Creates or checks the tables when the application starts. Never runs in a transaction that is not its own. */
final class Schema {
    private static final int VERSION = 1;

    private final StoreConfig config;
    private final Statements sql;

    Schema(StoreConfig config, Statements sql) {
        this.config = config;
        this.sql = sql;
    }

    void prepare(Connection connection) throws SQLException {
        if (config.schema() == SchemaMode.NONE) {
            return;
        }
        if (isNewer(connection)) {
            throw unusable("it belongs to a newer version of the outbox");
        }
        String wrong = problem(connection);
        if (wrong == null) {
            return;
        }
        List<String> statements = Script.statements(sql.dialect(), VERSION, config.tablePrefix());
        if (config.schema() == SchemaMode.VALIDATE) {
            String first = isViewATable(connection) ? sql.dropViewTable + ";\n\n" : "";
            throw Problem.SCHEMA_MISSING.exception(
                    config.tablePrefix() + "message",
                    wrong,
                    "validate",
                    first + String.join(";\n\n", statements) + ";");
        }
        if (isViewATable(connection)) {
            dropEmptyViewTable(connection);
        }
        for (String statement : statements) {
            apply(connection, statement);
        }
        String stillWrong = problem(connection);
        if (stillWrong != null) {
            throw unusable(stillWrong);
        }
    }

    private RuntimeException unusable(String wrong) {
        return Problem.SCHEMA_UNUSABLE.exception(config.tablePrefix() + "message", wrong);
    }

    private boolean isNewer(Connection connection) {
        try (Statement select = connection.createStatement();
                ResultSet version = select.executeQuery(sql.version)) {
            return version.next() && version.getInt(2) > VERSION;
        } catch (SQLException absent) {
            return false;
        }
    }

    /** Every column is asked for, without reading a row: a table of another shape fails here and not at the first event. */
    String problem(Connection connection) throws SQLException {
        if (isViewATable(connection)) {
            return "%smessage_view is a table, made by a persistence unit that generates its schema; drop it, it must be a view"
                    .formatted(config.tablePrefix());
        }
        for (String probe : sql.shape) {
            try (Statement select = connection.createStatement()) {
                select.execute(probe);
            } catch (SQLException wrongShape) {
                return Problem.reason(wrongShape);
            }
        }
        return null;
    }

    private boolean isViewATable(Connection connection) throws SQLException {
        return number(connection, sql.viewIsTable) > 0;
    }

    /** A persistence unit that generates its schema came first and made a table of the view's entity. */
    private void dropEmptyViewTable(Connection connection) throws SQLException {
        if (number(connection, sql.viewRows) > 0) {
            throw unusable(
                    "%smessage_view is a table with rows in it, and must be a view".formatted(config.tablePrefix()));
        }
        apply(connection, sql.dropViewTable);
    }

    private static int number(Connection connection, String query) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet row = select.executeQuery(query)) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Once more if it fails: nodes that start together meet here, and the second time finds what another one made. */
    private static void apply(Connection connection, String statement) {
        try (Statement ddl = connection.createStatement()) {
            try {
                ddl.execute(statement);
            } catch (SQLException perhapsThereByNow) {
                ddl.execute(statement);
            }
        } catch (SQLException e) {
            throw Problem.SCHEMA_FAILED.exception(e, statement, Problem.reason(e));
        }
    }
}

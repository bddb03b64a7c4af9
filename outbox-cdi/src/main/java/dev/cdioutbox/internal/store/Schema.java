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
        String wrong = problem(connection);
        if (wrong == null) {
            return;
        }
        List<String> statements = Script.statements(sql.dialect(), VERSION, config.tablePrefix());
        if (config.schema() == SchemaMode.VALIDATE) {
            throw Problem.SCHEMA_MISSING.exception(
                    config.tablePrefix() + "message", wrong, "validate", String.join(";\n\n", statements) + ";");
        }
        for (String statement : statements) {
            apply(connection, statement);
        }
    }

    /** Every column is asked for, without reading a row: a table of another shape fails here and not at the first event. */
    private String problem(Connection connection) throws SQLException {
        try (Statement probe = connection.createStatement();
                ResultSet version = probe.executeQuery(sql.version)) {
            version.next();
            if (version.getInt(2) > VERSION) {
                return "it belongs to a newer version of the outbox";
            }
        } catch (SQLException absent) {
            return Problem.reason(absent);
        }
        try (Statement probe = connection.createStatement();
                ResultSet shape = probe.executeQuery(sql.find.replace("application = ?", "1 = 0"))) {
            return shape.next() ? "it has rows where there can be none" : null;
        } catch (SQLException wrongShape) {
            return Problem.reason(wrongShape);
        }
    }

    private static void apply(Connection connection, String statement) {
        try (Statement ddl = connection.createStatement()) {
            ddl.execute(statement);
        } catch (SQLException e) {
            throw Problem.SCHEMA_FAILED.exception(e, statement, Problem.reason(e));
        }
    }
}

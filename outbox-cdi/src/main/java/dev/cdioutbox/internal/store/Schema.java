package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Creates, migrates or checks the tables when the application starts. Never runs in a transaction that is not its own:
 * DDL within a global one would end it, or is refused.
 */
final class Schema {
    private static final Logger LOG = Logger.getLogger(Schema.class.getName());

    private final DataSource dataSource;
    private final StoreConfig config;
    private final Statements sql;
    private final SchemaScripts scripts;

    Schema(DataSource dataSource, StoreConfig config, Statements sql, SchemaScripts scripts) {
        this.dataSource = dataSource;
        this.config = config;
        this.sql = sql;
        this.scripts = scripts;
    }

    void prepare(Connection connection) throws SQLException {
        if (config.schema() == SchemaMode.NONE) {
            return;
        }
        if (!connection.getAutoCommit()) {
            // A connection within a global transaction refuses this, before anything was asked or made.
            connection.setAutoCommit(true);
        }
        int found = version(connection);
        String wrong = problem(connection, found);
        if (wrong == null) {
            return;
        }
        if (found > scripts.version()) {
            throw unusable(wrong);
        }
        if (config.schema() == SchemaMode.VALIDATE) {
            List<String> statements = new ArrayList<>(scripts.from(found));
            if (isViewATable(connection)) {
                statements.add(0, sql.dropViewTable);
            }
            throw Problem.SCHEMA_MISSING.exception(
                    config.tablePrefix() + "message", wrong, "validate", String.join(";\n\n", statements) + ";");
        }
        create(connection);
    }

    private void create(Connection connection) throws SQLException {
        apply(connection, scripts.create().get(0));
        SchemaLock.holding(dataSource, sql, () -> change(connection));
        String stillWrong = problem(connection, version(connection));
        if (stillWrong != null) {
            throw unusable(stillWrong);
        }
    }

    /** Nodes that start together meet here: only the first of them finds something to do. */
    private void change(Connection connection) throws SQLException {
        int found = version(connection);
        String wrong = problem(connection, found);
        if (wrong == null) {
            return;
        }
        if (found > scripts.version()) {
            throw unusable(wrong);
        }
        if (isViewATable(connection)) {
            dropEmptyViewTable(connection);
        }
        for (String statement : scripts.from(found)) {
            apply(connection, statement);
        }
        LOG.info(Problem.SCHEMA_APPLIED.text(config.tablePrefix() + "message", found, scripts.version()));
    }

    private RuntimeException unusable(String wrong) {
        return Problem.SCHEMA_UNUSABLE.exception(config.tablePrefix() + "message", wrong);
    }

    /** The version of the tables; 0 if there are none. */
    private int version(Connection connection) {
        return versions(connection, 1);
    }

    private int versions(Connection connection, int column) {
        try {
            return number(connection, sql.version, column);
        } catch (SQLException absent) {
            return 0;
        }
    }

    private String problem(Connection connection, int found) throws SQLException {
        if (found > scripts.version() && versions(connection, 2) > scripts.version()) {
            return "it belongs to a newer version of the outbox";
        }
        if (found > 0 && found < scripts.version()) {
            return "it is of version %d, and this outbox works with version %d".formatted(found, scripts.version());
        }
        String shape = wrongShape(connection);
        // Whoever made it was cut short before the end, or its row was deleted: no migration would know where to begin.
        return shape == null && found == 0 ? "no version of it is noted in the table of versions" : shape;
    }

    /** Every column is asked for, without reading a row: a table of another shape fails here and not at the first event. */
    private String wrongShape(Connection connection) throws SQLException {
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
        return number(connection, sql.viewIsTable, 1) > 0;
    }

    /** A persistence unit that generates its schema came first and made a table of the view's entity. */
    private void dropEmptyViewTable(Connection connection) throws SQLException {
        if (number(connection, sql.viewRows, 1) > 0) {
            throw unusable(
                    "%smessage_view is a table with rows in it, and must be a view".formatted(config.tablePrefix()));
        }
        apply(connection, sql.dropViewTable);
    }

    private static int number(Connection connection, String query, int column) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet row = select.executeQuery(query)) {
            row.next();
            return row.getInt(column);
        }
    }

    /**
     * What is there already is as good as made: not every database can make something only if it is missing, and a start
     * that was cut short is taken up where it ended. Once more if it fails: the table of the versions is made without the
     * lock, by all nodes at once, and the second time finds what another one made.
     */
    private void apply(Connection connection, String statement) {
        try (Statement ddl = connection.createStatement()) {
            try {
                ddl.execute(statement);
            } catch (SQLException perhapsThereByNow) {
                if (!sql.dialect().isThere(perhapsThereByNow)) {
                    ddl.execute(statement);
                }
            }
        } catch (SQLException e) {
            if (!sql.dialect().isThere(e)) {
                throw Problem.SCHEMA_FAILED.exception(e, statement, Problem.reason(e));
            }
        }
    }
}

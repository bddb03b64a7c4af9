package dev.cdioutbox.internal.store.schema;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.OwnTransaction;

/**
 * Creates the tables at start if there are none, and checks their version and shape. Never changes tables of another
 * shape. Never in a global transaction: DDL would end it, or be refused.
 */
public final class SchemaSetup {
    /** The schema version of this outbox. A later version may say that this one can still use its tables. */
    public static final int CURRENT = 1;

    private static final Logger LOG = Logger.getLogger(SchemaSetup.class.getName());
    /** An attempt fails only if another node creates a table or an index at that moment; each node creates some forty. */
    private static final int MAX_ATTEMPTS = 50;

    private final DataSource dataSource;
    private final SchemaMode mode;
    private final String prefix;
    private final Dialect dialect;
    private final SchemaShape shape;
    private final int current;
    private final SchemaFile file;

    public SchemaSetup(DataSource dataSource, StoreConfig config, Dialect dialect, int current) {
        this.dataSource = dataSource;
        this.mode = config.schema();
        this.prefix = config.tablePrefix();
        this.dialect = dialect;
        this.shape = new SchemaShape(prefix, dialect);
        this.current = current;
        this.file = file(String.valueOf(current));
    }

    private SchemaFile file(String name) {
        return new SchemaFile(name, dialect, prefix);
    }

    public void prepare(Connection connection) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                prepareOnce(connection);
                return;
            } catch (SQLException e) {
                if (attempt == MAX_ATTEMPTS || !dialect.isRacingWithDdl(e)) {
                    throw e;
                }
            }
        }
    }

    private void prepareOnce(Connection connection) throws SQLException {
        if (mode == SchemaMode.NONE) {
            return;
        }
        if (!connection.getAutoCommit()) {
            // A connection within a global transaction refuses this, before anything was asked or made.
            connection.setAutoCommit(true);
        }
        if (mode == SchemaMode.CREATE && isIncomplete(connection)) {
            apply(connection, file.statements().get(0));
            OwnTransaction lock = SchemaLock.take(dataSource, prefix, dialect);
            try (lock) {
                create(connection);
            }
        }
        check(connection);
    }

    /** Whether no version is noted, since there are no tables or their creation was interrupted; or the view is a table. */
    private boolean isIncomplete(Connection connection) throws SQLException {
        int found = version(connection).number();
        return found == 0 || found == current && shape.isViewATable(connection);
    }

    /** Nodes that start at the same time wait for each other; only the first one creates the tables. */
    private void create(Connection connection) throws SQLException {
        if (!isIncomplete(connection)) {
            return;
        }
        if (shape.isViewATable(connection)) {
            dropGeneratedTable(connection, prefix + SchemaShape.VIEW);
        }
        file.statements().forEach(statement -> apply(connection, statement));
        LOG.info(Problem.SCHEMA_APPLIED.text(prefix + "message", current));
    }

    private void check(Connection connection) throws SQLException {
        Version found = version(connection);
        if (found.number() == 0) {
            throw Problem.SCHEMA_MISSING.exception(prefix + "message", file);
        }
        boolean older = found.number() < current;
        String wrong = older || found.readableFrom() > current
                ? "they are of version %d, and this outbox works with version %d".formatted(found.number(), current)
                : String.join("; ", shape.differences(connection));
        if (!wrong.isEmpty()) {
            SchemaFile toApply = older ? file(found.number() + "-to-" + (found.number() + 1)) : file;
            throw Problem.SCHEMA_UNUSABLE.exception(prefix + "message", wrong, toApply);
        }
    }

    /** A persistence unit that generates its schema came first and created a table from the view's entity. */
    private void dropGeneratedTable(Connection connection, String table) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet row = select.executeQuery("SELECT 1 FROM " + table)) {
            if (row.next()) {
                throw Problem.SCHEMA_UNUSABLE.exception(
                        prefix + "message", table + " is a table with rows in it, and must be a view", file);
            }
        }
        apply(connection, "DROP TABLE " + table);
    }

    /** Number 0 if no version is noted, or there is no table of versions. */
    private Version version(Connection connection) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT version, readable_from FROM " + prefix + "schema")) {
            Version found = new Version(0, 0);
            while (rows.next()) {
                found = new Version(
                        Math.max(found.number(), rows.getInt(1)), Math.max(found.readableFrom(), rows.getInt(2)));
            }
            return found;
        } catch (SQLException e) {
            if (dialect.isTableMissing(e)) {
                return new Version(0, 0);
            }
            throw e;
        }
    }

    /**
     * Treats what exists as created: not every database can create something only if it is missing, and an interrupted
     * creation is continued. Tries twice: the table of versions is created without the lock, by all nodes at once, and
     * the second attempt finds the table of another node.
     */
    private void apply(Connection connection, String statement) {
        for (int attempt = 1; ; attempt++) {
            try (Statement ddl = connection.createStatement()) {
                ddl.execute(statement);
                return;
            } catch (SQLException e) {
                if (dialect.isAlreadyPresent(e)) {
                    return;
                }
                if (attempt == 2) {
                    throw Problem.SCHEMA_FAILED.exception(e, statement, file, Problem.reason(e));
                }
            }
        }
    }

    /**
     * A row of the table of versions.
     *
     * @param readableFrom the lowest version of the outbox that may use these tables
     */
    private record Version(int number, int readableFrom) {}
}

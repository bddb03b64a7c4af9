package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.problem.Problem;

/** Creates, migrates or checks the tables at start. Never in a global transaction: DDL would end it, or be refused. */
final class SchemaSetup {
    private static final Logger LOG = Logger.getLogger(SchemaSetup.class.getName());

    /** The longest pause between two attempts to lock a table, during which other nodes work. */
    private static final Duration MAX_PAUSE = Duration.ofMillis(500);

    private final DataSource dataSource;
    private final StoreConfig config;
    private final OutboxStatements sql;
    private final SchemaScripts scripts;
    private final SchemaValidation validation;
    private final SchemaIndexes indexes;
    private final MissingColumns missingColumns;

    SchemaSetup(DataSource dataSource, StoreConfig config, OutboxStatements sql, SchemaScripts scripts) {
        this.dataSource = dataSource;
        this.config = config;
        this.sql = sql;
        this.scripts = scripts;
        this.validation = new SchemaValidation(config.tablePrefix(), sql);
        this.indexes = new SchemaIndexes(scripts.create(), sql.dialect());
        this.missingColumns = new MissingColumns(scripts.create(), sql.dialect());
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
            throw unusable(wrong, List.of());
        }
        if (config.schema() == SchemaMode.VALIDATE) {
            List<String> statements = statements(connection, found);
            if (validation.isViewATable(connection)) {
                statements.add(0, sql.dropViewTable);
            }
            throw Problem.SCHEMA_MISSING.exception(
                    config.tablePrefix() + "message", wrong, "validate", String.join(";\n\n", statements) + ";");
        }
        create(connection);
    }

    /** What makes it good: to make again what is there would change nothing. */
    private List<String> statements(Connection connection, int found) throws SQLException {
        List<String> statements = new ArrayList<>();
        boolean enough = false;
        if (found == scripts.version()) {
            MissingColumns.MissingParts lacking = missingColumns.missing(connection);
            statements.addAll(lacking.statements());
            statements.addAll(indexes.statements(indexes.missing(connection)));
            enough = !lacking.tables() && !statements.isEmpty();
        }
        if (!enough) {
            statements.addAll(scripts.from(found));
        }
        return statements;
    }

    private void create(Connection connection) throws SQLException {
        apply(connection, scripts.create().get(0));
        SchemaLock.holding(dataSource, config.tablePrefix(), sql.dialect(), () -> change(connection));
        String stillWrong = problem(connection, version(connection));
        if (stillWrong != null) {
            throw unusable(stillWrong, List.of());
        }
    }

    /** Nodes that start at the same time wait for each other; only the first one changes the tables. */
    private void change(Connection connection) throws SQLException {
        int found = version(connection);
        String wrong = problem(connection, found);
        if (wrong == null) {
            return;
        }
        if (found > scripts.version()) {
            throw unusable(wrong, List.of());
        }
        List<String> lacking = found == scripts.version() ? missingStatements(connection) : List.of();
        if (!lacking.isEmpty()) {
            throw unusable(wrong, lacking);
        }
        if (validation.isViewATable(connection)) {
            dropEmptyViewTable(connection);
        }
        withShortLockTimeout(connection, () -> scripts.from(found).forEach(statement -> apply(connection, statement)));
        LOG.info(Problem.SCHEMA_APPLIED.text(config.tablePrefix() + "message", found, scripts.version()));
    }

    /** What is not made without being asked for: it changes tables, or takes long while others write. */
    private List<String> missingStatements(Connection connection) throws SQLException {
        List<String> statements =
                new ArrayList<>(missingColumns.missing(connection).statements());
        if (statements.isEmpty() && validation.problem(connection) == null) {
            statements.addAll(indexes.statements(indexes.ofTablesInUse(connection, indexes.missing(connection))));
        }
        return statements;
    }

    /**
     * DDL on a table in use waits for running claims, and all later statements, settlements too, wait behind the DDL.
     * So it gives up after a second and tries again.
     */
    private void withShortLockTimeout(Connection connection, Runnable change) throws SQLException {
        Optional<String> haste = sql.dialect().shortLockTimeout();
        if (haste.isEmpty()) {
            change.run();
            return;
        }
        execute(connection, haste.get());
        try {
            change.run();
        } finally {
            execute(connection, sql.dialect().defaultLockTimeout());
        }
    }

    private RuntimeException unusable(String wrong, List<String> mending) {
        String statements = mending.isEmpty() ? "" : "%n%s;".formatted(String.join(";\n\n", mending));
        return Problem.SCHEMA_UNUSABLE.exception(config.tablePrefix() + "message", wrong, statements);
    }

    /** The version of the tables; 0 if there are none. */
    private int version(Connection connection) throws SQLException {
        return versions(connection, 1);
    }

    private int versions(Connection connection, int column) throws SQLException {
        try {
            return SchemaValidation.number(connection, sql.version, column);
        } catch (SQLException e) {
            if (sql.dialect().isTableMissing(e)) {
                return 0;
            }
            throw e;
        }
    }

    private String problem(Connection connection, int found) throws SQLException {
        if (found > scripts.version() && versions(connection, 2) > scripts.version()) {
            return "it belongs to a newer version of the outbox";
        }
        if (found > 0 && found < scripts.version()) {
            return "it is of version %d, and this outbox works with version %d".formatted(found, scripts.version());
        }
        String wrong = validation.problem(connection);
        // The creation was interrupted, or the row was deleted: a migration would not know where to begin.
        if (wrong == null && found == 0) {
            return "no version of it is noted in the table of versions";
        }
        // A later version may have other indexes.
        return wrong == null && found == scripts.version()
                ? indexes.missing(connection).stream()
                        .findFirst()
                        .map(SchemaIndexes.Missing::toString)
                        .orElse(null)
                : wrong;
    }

    /** A persistence unit that generates its schema came first and made a table of the view's entity. */
    private void dropEmptyViewTable(Connection connection) throws SQLException {
        if (SchemaValidation.number(connection, sql.viewRows, 1) > 0) {
            throw unusable(
                    "%smessage_view is a table with rows in it, and must be a view".formatted(config.tablePrefix()),
                    List.of());
        }
        apply(connection, sql.dropViewTable);
    }

    /**
     * What is there already is as good as made: not every database can make something only if it is missing, and a start
     * that was cut short is taken up where it ended. Once more if it fails: the table of the versions is made without the
     * lock, by all nodes at once, and the second time finds what another one made.
     */
    private void apply(Connection connection, String statement) {
        long start = System.nanoTime();
        int failures = 0;
        while (true) {
            try (Statement ddl = connection.createStatement()) {
                ddl.execute(statement);
                return;
            } catch (SQLException e) {
                boolean busy =
                        sql.dialect().isTableLocked(e) && System.nanoTime() - start < SchemaLock.MAX_WAIT.toNanos();
                if (sql.dialect().isAlreadyPresent(e)) {
                    return;
                }
                if (!busy && ++failures > 1) {
                    throw Problem.SCHEMA_FAILED.exception(e, statement, Problem.reason(e));
                }
                if (busy) {
                    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MAX_PAUSE.toNanos()));
                }
            }
        }
    }

    private static void execute(Connection connection, String statement) throws SQLException {
        try (Statement set = connection.createStatement()) {
            set.execute(statement);
        }
    }
}

package dev.cdioutbox.internal.store.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Lines;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;

/**
 * Creates the tables at start if there are none, and checks their version and shape. Never changes tables of another
 * shape. Never runs in a global transaction: DDL would commit the transaction, or fail.
 */
public final class SchemaSetup {
    /**
     * The schema version of this outbox. The tables of a later version may declare that this version can still use
     * them.
     */
    public static final int CURRENT = 1;

    private static final Logger LOG = Logger.getLogger(SchemaSetup.class.getName());
    /** Of a schema, which a statement then has in quotes: without a quote, and without the dot before the prefix. */
    private static final Pattern PLAIN_NAME = Pattern.compile("[\\w $-]+", Pattern.UNICODE_CHARACTER_CLASS);

    /** In attempts. Eight nodes that start at the same moment need up to five (on PostgreSQL). */
    private static final int MAX_ATTEMPTS = 20;

    private final SchemaMode mode;
    private final String prefix;
    private final Dialect dialect;
    private final SchemaShape shape;
    private final int current;
    private final SchemaFile file;

    public SchemaSetup(StoreConfig config, Dialect dialect) {
        this(config, dialect, CURRENT, SchemaShape.TABLES);
    }

    /**
     * @param current the schema version of this outbox
     * @param tables what that version has
     */
    SchemaSetup(StoreConfig config, Dialect dialect, int current, List<SchemaShape.Table> tables) {
        this.mode = config.schema();
        this.prefix = config.tablePrefix();
        this.dialect = dialect;
        this.shape = new SchemaShape(prefix, dialect, tables);
        this.current = current;
        this.file = file(String.valueOf(current));
    }

    private SchemaFile file(String name) {
        return new SchemaFile(name, dialect, prefix);
    }

    public void prepare(Connection connection) throws SQLException {
        if (mode == SchemaMode.NONE) {
            requireTables(connection);
            return;
        }
        if (mode == SchemaMode.CREATE) {
            create(connection);
        }
        check(connection);
    }

    /**
     * The prefix of the tables with the schema in which they are now, so that each statement reaches these tables. An
     * application may choose a schema for a transaction ({@code SET LOCAL search_path}), as for a tenant: a name without
     * a schema would then lead to another table, which no dispatcher reads. Returns the prefix as it is where the schema
     * is unknown, or where the name leads to the tables by a synonym.
     */
    public String qualifiedPrefix(Connection connection) throws SQLException {
        String schema = prefix.contains(".") ? null : dialect.schemaOf(connection, prefix + "message");
        if (schema == null || !PLAIN_NAME.matcher(schema).matches()) {
            return prefix;
        }
        String quote = connection.getMetaData().getIdentifierQuoteString();
        String qualified = quote + schema + quote + "." + prefix;
        try {
            JdbcStatement.of(connection, "SELECT 1 FROM " + qualified + "message WHERE 1 = 0")
                    .number();
            return qualified;
        } catch (SQLException notThere) {
            LOG.log(Level.FINE, notThere, () -> "the tables of " + prefix + "message are not in the schema " + schema);
            return prefix;
        }
    }

    /** Not by the recorded version: tables that were made by hand may lack it. */
    private void requireTables(Connection connection) throws SQLException {
        try {
            // Tables that a transaction has created and not yet committed may be locked.
            JdbcStatement.of(connection, shape.everyTable())
                    .within(SchemaShape.TIMEOUT_SECONDS)
                    .number();
        } catch (SQLException e) {
            if (isTableMissing(e)) {
                throw OutboxCode.TABLES_AWAITED.exception(e, prefix + "message", file);
            }
            throw e;
        }
    }

    /** Several nodes may create the tables at the same time. */
    private void create(Connection connection) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                if (isIncomplete(connection)) {
                    createOnce(connection);
                    LOG.info(OutboxCode.SCHEMA_APPLIED.text(prefix + "message", current));
                }
                return;
            } catch (SQLException | OutboxException e) {
                // Two nodes that create one object at the same moment collide in the catalog of most databases, also
                // with IF NOT EXISTS. The next attempt finds the object.
                if (attempt == MAX_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /**
     * Whether no version is recorded, because there are no tables or their creation was interrupted; or the view is a
     * table.
     */
    private boolean isIncomplete(Connection connection) throws SQLException {
        int found = version(connection).number();
        return found == 0 || found == current && shape.isViewATable(connection);
    }

    private void createOnce(Connection connection) throws SQLException {
        if (shape.isViewATable(connection)) {
            dropGeneratedTable(connection, prefix + SchemaShape.VIEW);
        }
        file.statements().forEach(statement -> apply(connection, statement));
    }

    private void check(Connection connection) throws SQLException {
        Version found = version(connection);
        if (found.number() == 0) {
            throw OutboxCode.SCHEMA_MISSING.exception(prefix + "message", file);
        }
        boolean older = found.number() < current;
        String wrong = older || found.readableFrom() > current
                ? "they are of version %s, and this outbox works with version %s".formatted(found.number(), current)
                : String.join("; ", differences(connection, found));
        if (!wrong.isEmpty()) {
            if (shape.isOfDevelopment(connection)) {
                throw OutboxCode.DEVELOPMENT_TABLES.exception(prefix + "message");
            }
            SchemaFile toApply = older ? file(found.number() + "-to-" + (found.number() + 1)) : file;
            throw OutboxCode.SCHEMA_UNUSABLE.exception(prefix + "message", wrong, toApply);
        }
    }

    /** A later version that this one can work with has all its columns, but not all its indexes. */
    private List<String> differences(Connection connection, Version found) throws SQLException {
        List<String> differences = shape.differencesBesideIndexes(connection);
        if (found.number() == current) {
            differences.addAll(shape.missingIndexes(connection));
        }
        return differences;
    }

    /** Drops the table that a persistence unit with schema generation has created from the view's entity. */
    private void dropGeneratedTable(Connection connection, String table) throws SQLException {
        if (JdbcStatement.of(connection, "SELECT 1 FROM " + table).number() != null) {
            throw OutboxCode.SCHEMA_UNUSABLE.exception(
                    prefix + "message", table + " is a table with rows in it, and must be a view", file);
        }
        apply(connection, "DROP TABLE " + table);
    }

    /** The recorded version; number 0 without a record or without the table of versions. */
    private Version version(Connection connection) throws SQLException {
        try {
            return JdbcStatement.of(connection, "SELECT MAX(version), MAX(readable_from) FROM " + prefix + "schema")
                    .first(row -> new Version(row.getInt(1), row.getInt(2)));
        } catch (SQLException e) {
            if (isTableMissing(e)) {
                return new Version(0, 0);
            }
            throw e;
        }
    }

    /** Treats an existing object as created: an interrupted creation continues. */
    private static boolean isTableMissing(SQLException e) {
        // The SQL states of Db2, PostgreSQL and others; the error codes of Oracle, SQL Server, and of MariaDB for a
        // missing right or database.
        return Set.of("42704", "42P01", "3F000", "42S02", "42S03", "42S04", "90079")
                        .contains(String.valueOf(e.getSQLState()))
                || Set.of(942, 208, 1142, 1049).contains(e.getErrorCode());
    }

    private void apply(Connection connection, String statement) {
        try (Statement ddl = connection.createStatement()) {
            ddl.execute(statement);
        } catch (SQLException e) {
            if (!dialect.isAlreadyPresent(e)) {
                throw OutboxCode.SCHEMA_FAILED.exception(e, new Lines(statement), file, FailureReason.of(e));
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

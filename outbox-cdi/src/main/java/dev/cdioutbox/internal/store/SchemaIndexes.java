package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks the indexes of the tables: without one of them, every claim would read all published messages. */
final class SchemaIndexes {
    private static final Pattern TABLE = Pattern.compile("(?:CREATE TABLE (?:IF NOT EXISTS )?| ON )([\\w.$]+) ?\\(");
    private static final Pattern INDEX = Pattern.compile("\\bINDEX (?:IF NOT EXISTS )?([\\w$]+) ");

    private final List<String> script;
    private final Dialect dialect;

    SchemaIndexes(List<String> script, Dialect dialect) {
        this.script = script;
        this.dialect = dialect;
    }

    /** The missing indexes; not checked on databases without tests. */
    List<Missing> missing(Connection connection) throws SQLException {
        List<Missing> missing = new ArrayList<>();
        for (String statement : dialect.isTested() ? script : List.<String>of()) {
            List<String> indexes = INDEX.matcher(statement)
                    .results()
                    .map(found -> found.group(1))
                    .toList();
            if (!indexes.isEmpty()) {
                String table = TABLE.matcher(statement)
                        .results()
                        .findFirst()
                        .orElseThrow()
                        .group(1);
                Set<String> there = names(connection.getMetaData(), table);
                there.removeAll(unusable(connection));
                indexes.stream()
                        .filter(index -> !there.contains(index.toLowerCase(Locale.ROOT)))
                        .map(index -> new Missing(index, table, statement))
                        .forEach(missing::add);
            }
        }
        return missing;
    }

    private Set<String> unusable(Connection connection) throws SQLException {
        Set<String> unusable = new HashSet<>();
        if (dialect.unusableIndexes().isPresent()) {
            try (Statement select = connection.createStatement();
                    ResultSet rows =
                            select.executeQuery(dialect.unusableIndexes().get())) {
                while (rows.next()) {
                    unusable.add(rows.getString(1).toLowerCase(Locale.ROOT));
                }
            }
        }
        return unusable;
    }

    /** What makes them, beside those who write; not of those that are part of a table's own statement. */
    List<String> statements(List<Missing> missing) {
        return missing.stream()
                .map(Missing::statement)
                .filter(statement -> !statement.startsWith("CREATE TABLE"))
                .map(dialect::createIndexOnline)
                .toList();
    }

    /** Those whose tables have rows: it takes its time to make them, and who writes waits. */
    List<Missing> ofTablesInUse(Connection connection, List<Missing> missing) throws SQLException {
        List<Missing> inUse = new ArrayList<>();
        for (Missing index : missing) {
            String row =
                    "SELECT COUNT(*) FROM (SELECT 1 AS one FROM %s %s) t".formatted(index.table(), dialect.limit("1"));
            if (SchemaValidation.number(connection, row, 1) > 0) {
                inUse.add(index);
            }
        }
        return inUse;
    }

    /** Those of a table, in lower case. */
    static Set<String> names(DatabaseMetaData database, String name) throws SQLException {
        String stored = stored(database, name);
        int dot = stored.indexOf('.');
        String place = dot < 0 ? null : stored.substring(0, dot);
        // To MariaDB and MySQL, what stands before the dot is a catalog. Without one, a search path may lead anywhere.
        boolean schemas = database.supportsSchemasInTableDefinitions();
        String here = database.getConnection().getCatalog();
        Set<String> names = new HashSet<>();
        try (ResultSet indexes = database.getIndexInfo(
                place == null || schemas ? here : place,
                schemas ? place : null,
                stored.substring(dot + 1),
                false,
                true)) {
            while (indexes.next()) {
                String index = indexes.getString("INDEX_NAME");
                if (index != null) {
                    names.add(index.toLowerCase(Locale.ROOT));
                }
            }
        }
        return names;
    }

    private static String stored(DatabaseMetaData database, String name) throws SQLException {
        if (database.storesUpperCaseIdentifiers()) {
            return name.toUpperCase(Locale.ROOT);
        }
        return database.storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
    }

    /**
     * An index that is not there.
     *
     * @param statement of the schema's file that makes it
     */
    record Missing(String name, String table, String statement) {
        @Override
        public String toString() {
            return "its index %s on %s is missing".formatted(name, table);
        }
    }
}

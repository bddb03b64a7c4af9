package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Whether the tables have the indexes of the schema's file: without one of them, every claim reads all that was ever published. */
final class SchemaIndexes {
    private static final Pattern TABLE = Pattern.compile("(?:CREATE TABLE (?:IF NOT EXISTS )?| ON )([\\w.$]+) ?\\(");
    private static final Pattern INDEX = Pattern.compile("\\bINDEX (?:IF NOT EXISTS )?([\\w$]+) ");

    private final List<String> script;

    SchemaIndexes(List<String> script) {
        this.script = script;
    }

    /** The first that is missing, as part of a sentence; null if all are there. */
    String problem(Connection connection) throws SQLException {
        for (String statement : script) {
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
                for (String index : indexes) {
                    if (!there.contains(index.toLowerCase(Locale.ROOT))) {
                        return "its index %s on %s is missing".formatted(index, table);
                    }
                }
            }
        }
        return null;
    }

    /** Those of a table, in lower case. */
    static Set<String> names(DatabaseMetaData database, String name) throws SQLException {
        String stored = stored(database, name);
        int dot = stored.indexOf('.');
        String place = dot < 0 ? null : stored.substring(0, dot);
        // To MariaDB and MySQL, what stands before the dot is a catalog.
        boolean schemas = database.supportsSchemasInTableDefinitions();
        String here = database.getConnection().getCatalog();
        Set<String> names = new HashSet<>();
        try (ResultSet indexes = database.getIndexInfo(
                place == null || schemas ? here : place,
                place == null ? database.getConnection().getSchema() : schemas ? place : null,
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
}

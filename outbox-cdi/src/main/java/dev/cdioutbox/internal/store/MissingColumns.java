package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What tables that are there lack of the schema's file, line by line: to make a table only if it is missing adds nothing to it. */
final class MissingColumns {
    private static final Pattern TABLE =
            Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?([\\w.$]+) ?\\(\\n(.*?)\\n\\)", Pattern.DOTALL);
    private static final Pattern INDEX = Pattern.compile("(?:UNIQUE )?INDEX ([\\w$]+) .*");
    private static final Pattern COLUMN = Pattern.compile("(?!PRIMARY KEY|UNIQUE|CONSTRAINT)(\\w+) +.*");

    private final List<String> script;
    private final Dialect dialect;

    MissingColumns(List<String> script, Dialect dialect) {
        this.script = script;
        this.dialect = dialect;
    }

    MissingParts missing(Connection connection) throws SQLException {
        List<String> statements = new ArrayList<>();
        boolean tables = false;
        for (String statement : script) {
            Matcher table = TABLE.matcher(statement);
            if (table.find()) {
                Set<String> columns = columns(connection, table.group(1));
                tables |= columns.isEmpty();
                if (!columns.isEmpty()) {
                    add(statements, table.group(1), table.group(2), columns, connection);
                }
            }
        }
        return new MissingParts(statements, tables);
    }

    private static void add(
            List<String> statements, String table, String lines, Set<String> columns, Connection connection)
            throws SQLException {
        for (String line : lines.split(",?\\n")) {
            String part = line.strip().replaceFirst(",$", "");
            Matcher index = INDEX.matcher(part);
            Matcher column = COLUMN.matcher(part);
            boolean isThere = index.matches()
                    ? SchemaIndexes.names(connection.getMetaData(), table).contains(lower(index.group(1)))
                    : !column.matches() || columns.contains(lower(column.group(1)));
            if (!isThere) {
                statements.add("ALTER TABLE %s ADD %s".formatted(table, part.replaceAll(" +", " ")));
            }
        }
    }

    /** None if there is no such table. */
    private Set<String> columns(Connection connection, String table) throws SQLException {
        Set<String> columns = new HashSet<>();
        try (Statement select = connection.createStatement();
                ResultSet none = select.executeQuery("SELECT * FROM " + table + " WHERE 1 = 0")) {
            ResultSetMetaData found = none.getMetaData();
            for (int column = 1; column <= found.getColumnCount(); column++) {
                columns.add(lower(found.getColumnName(column)));
            }
        } catch (SQLException e) {
            if (!dialect.isTableMissing(e)) {
                throw e;
            }
        }
        return columns;
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /**
     * @param statements which add what is missing to the tables that are there
     * @param tables whether whole tables are missing
     */
    record MissingParts(List<String> statements, boolean tables) {}
}

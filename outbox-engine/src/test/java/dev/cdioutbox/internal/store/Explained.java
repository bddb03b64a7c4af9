package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.cdioutbox.internal.store.sql.JdbcStatement;

/**
 * A statement's plan and cost.
 *
 * @param reads pages or rows read; negative if not known
 * @param readsWhole whether the plan reads all messages
 */
public record Explained(String plan, long reads, boolean readsWhole) {
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");
    private static final Pattern WHOLE_TABLE = Pattern.compile("Seq Scan on shop_(message|delivery)");
    private static final Pattern SCANNED = Pattern.compile("scanCount: (\\d+)");
    /**
     * But not where MariaDB, and MySQL in other words, look for the range of an index with each record of another table, nor where
     * MySQL reads the few rows of a subquery that has the name.
     */
    private static final Pattern WHOLE = Pattern.compile(
            "(?<!\"insert\": true,\\s{1,80})(?<!\"keys\": \\[\"shop_queue_order\"\\],\\s{1,80}\"table\": \\{\\s{1,80})"
                    + "\"table_name\": \"(shop_message|shop_delivery|m|d)\",\\s+\"access_type\": \"(ALL|index)\"(?![^{}]*\"range_checked_for_each_record\")"
                    + "(?![^{}]*\\{[^{}]*}[^{}]*\"materialized_from_subquery\")");

    /** @param text with names, or {@code %s} in the place of a list of parameters; several lists have as many of them */
    public static Explained by(Database kind, Connection connection, String text, Object... parameters)
            throws SQLException {
        String marked = StatementCatalog.marks(text);
        int others = (int) marked.chars().filter(c -> c == '?').count();
        int lists = Math.max(1, marked.split("%s", -1).length - 1);
        String statement = marked.replace("%s", JdbcStatement.placeholders((parameters.length - others) / lists));
        return switch (kind) {
            case POSTGRESQL -> postgresql(connection, statement, parameters);
            case MARIADB, MYSQL -> innoDb(kind, connection, statement, parameters);
            case H2 -> h2(connection, statement, parameters);
        };
    }

    private static Explained postgresql(Connection connection, String statement, Object... parameters)
            throws SQLException {
        String plan = text(connection, "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) " + statement, parameters);
        // The first line with buffers has the sum for the statement.
        Matcher buffers = BUFFERS.matcher(plan);
        long pages = buffers.find() ? number(buffers.group(1)) + number(buffers.group(2)) : 0;
        return new Explained(plan, pages, WHOLE_TABLE.matcher(plan).find());
    }

    /** H2 reports no reads for a change, only the plan. */
    private static Explained h2(Connection connection, String statement, Object... parameters) throws SQLException {
        boolean changes = !statement.stripLeading().startsWith("SELECT") && !statement.startsWith("(");
        String plan = text(connection, (changes ? "EXPLAIN " : "EXPLAIN ANALYZE ") + statement, parameters);
        long rows = SCANNED.matcher(plan)
                .results()
                .mapToLong(found -> number(found.group(1)))
                .sum();
        return new Explained(plan, changes ? -1 : rows, plan.contains("tableScan */"));
    }

    /** MariaDB and MySQL count the reads of a session, so the statement runs besides its EXPLAIN. */
    private static Explained innoDb(Database kind, Connection connection, String statement, Object... parameters)
            throws SQLException {
        if (kind == Database.MYSQL) {
            // The format in which MariaDB explains, too.
            Database.execute(connection, "SET explain_json_format_version = 1");
        }
        String plan = text(connection, "EXPLAIN FORMAT=JSON " + statement, parameters);
        Database.execute(connection, "FLUSH STATUS");
        try (PreparedStatement prepared = connection.prepareStatement(statement)) {
            bind(prepared, parameters);
            prepared.execute();
        }
        long rows = 0;
        try (PreparedStatement counts = connection.prepareStatement("SHOW SESSION STATUS LIKE 'Handler_read%'");
                ResultSet row = counts.executeQuery()) {
            while (row.next()) {
                rows += row.getLong(2);
            }
        }
        return new Explained(plan, rows, WHOLE.matcher(plan).find());
    }

    private static String text(Connection connection, String query, Object... parameters) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(query)) {
            bind(select, parameters);
            StringBuilder text = new StringBuilder();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    text.append(rows.getString(1)).append('\n');
                }
            }
            return text.toString();
        }
    }

    private static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}

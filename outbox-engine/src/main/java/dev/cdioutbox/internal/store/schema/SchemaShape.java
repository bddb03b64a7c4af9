package dev.cdioutbox.internal.store.schema;

import static dev.cdioutbox.internal.store.sql.MessageColumn.names;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageColumn;

/** The tables, columns and indexes that the schema files create, and the differences that a database shows. */
final class SchemaShape {
    static final String VIEW = "message_view";

    private static final String VERSIONS = "schema";

    /** Each begins with the name of a right, which has six letters. */
    private static final List<String> CHANGES = List.of(
            "INSERT INTO {table} ({inserted}) SELECT {inserted} FROM {table} WHERE 1 = 0",
            "UPDATE {table} SET {set} WHERE 1 = 0",
            "DELETE FROM {table} WHERE 1 = 0");

    /** For a reply of the database to a statement that reads no row, or after a failed statement. */
    static final int TIMEOUT_SECONDS = 5;

    static final List<Table> TABLES = List.of(
            table(VERSIONS, "version, readable_from, applied_at"),
            table(
                    "partition",
                    "id, application, destination, partition_no, partition_count, owner, leased_until, fencing_token"),
            table("message", names(MessageColumn.FACTS), "message_id"),
            table(
                    "queue",
                    "seq, queue_id, status, attempts, unfinished_sends, available_at, requeued_at, last_attempt_at, last_error",
                    "queue_order",
                    "queue_due"),
            table("delivery", "seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination"),
            table("blocked_key", "id, partition_id, message_key, due_at", "blocked_key_unique", "blocked_key_due"),
            table("key_lock", "id"),
            table(VIEW, names(MessageColumn.VIEWED)),
            table(
                    "control",
                    "application, destination, paused, changed_by, changed_at, backfill_partition, backfill_source,"
                            + " backfill_types, backfill_from, backfill_position, backfill_end, backfill_copied,"
                            + " backfill_present, backfill_skipped, backfill_started_at, backfill_ended_at"),
            table("audit", "id, application, done_by, done_as, action, subject, changed, done_at"),
            table("audit_message", "seq, audit_id"),
            table("archive", names(MessageColumn.ARCHIVED) + ", archived_at"),
            table("inbox", "application, consumer, message_id, received_at", "inbox_received"),
            table(
                    "inbox_key",
                    "application, consumer, message_key, last_sequence, last_stored_at, received_at",
                    "inbox_key_received"),
            table(
                    "node",
                    "node_id, application, module_name, host, server, process, version, started_at, last_tick_at,"
                            + " partitions_held"));

    private final String prefix;
    private final Dialect dialect;
    private final List<Table> tables;

    SchemaShape(String prefix, Dialect dialect) {
        this(prefix, dialect, TABLES);
    }

    SchemaShape(String prefix, Dialect dialect, List<Table> tables) {
        this.prefix = prefix;
        this.dialect = dialect;
        this.tables = tables;
    }

    private static Table table(String name, String columns, String... indexes) {
        return new Table(name, List.of(columns.split(", ")), List.of(indexes));
    }

    List<String> differencesBesideIndexes(Connection connection) throws SQLException {
        List<String> differences = missingColumns(connection);
        if (isViewATable(connection)) {
            differences.add("%s%s is a table, made by a persistence unit that generates its schema, and must be a view"
                    .formatted(prefix, VIEW));
        }
        return differences;
    }

    /**
     * The tables that do not exist or lack a column, with the database's reason. The start reports them before the first
     * event fails, and a timer later.
     */
    List<String> missingColumns(Connection connection) throws SQLException {
        List<String> missing = new ArrayList<>();
        for (Table table : tables) {
            String failure = failure(connection, noRows("1", table));
            if (failure != null) {
                missing.add("%s%s: %s".formatted(prefix, table.name(), failure));
            }
        }
        return missing;
    }

    /**
     * Whether the tables were created before version 1 was released: a message then had the number of its partition, or its
     * payload was always a text.
     */
    boolean isOfDevelopment(Connection connection) throws SQLException {
        return isSelected(connection, "partition_no")
                || isSelected(connection, "payload") && !isSelected(connection, "payload_binary");
    }

    private boolean isSelected(Connection connection, String column) throws SQLException {
        return failure(connection, "SELECT %s FROM %smessage WHERE 1 = 0".formatted(column, prefix)) == null;
    }

    /**
     * A query that fails if a table does not exist or lacks a column, and else finds no row. Its failure does not always
     * name the table.
     *
     * @param selected constants, so that the query can be a part of a union
     */
    String noRows(String selected) {
        return tables.stream().map(table -> noRows(selected, table)).collect(Collectors.joining(" UNION ALL "));
    }

    /** A query that fails if a table does not exist, and else finds no row. Leaves out the table of versions. */
    String everyTable() {
        return tables.stream()
                .filter(table -> !table.name().equals(VERSIONS))
                .map(table -> "SELECT 1 FROM " + prefix + table.name() + " WHERE 1 = 0")
                .collect(Collectors.joining(" UNION ALL "));
    }

    private String noRows(String selected, Table table) {
        return "SELECT %s FROM (SELECT %s FROM %s%s WHERE 1 = 0) t"
                .formatted(selected, String.join(", ", table.columns()), prefix, table.name());
    }

    /** Says that the tables are not any more as the start has found them. */
    String unusable(List<String> wrong) {
        SchemaFile file = new SchemaFile(String.valueOf(SchemaSetup.CURRENT), dialect, prefix);
        return OutboxCode.SCHEMA_UNUSABLE.text(prefix + "message", String.join("; ", wrong), file);
    }

    /**
     * The changes of tables that the user may not make, with the database's reason. Tries each on no row, since every database
     * lists rights in another way.
     *
     * @param unused the changes that the outbox never makes, such as "DELETE audit"
     */
    List<String> missingRights(Connection connection, String user, Set<String> unused) throws SQLException {
        List<String> missing = new ArrayList<>();
        for (Table table : tables) {
            String name = table.name();
            List<String> columns = table.columns();
            // The right to update messages may be limited to the payload.
            String set = columns.contains("payload")
                    ? "payload = payload, payload_binary = payload_binary"
                    : columns.get(columns.size() - 1) + " = " + columns.get(columns.size() - 1);
            // MariaDB wants each column that is not generated, even for no row.
            String inserted = columns.stream()
                    .filter(each -> !each.equals("id") || !name.equals("audit"))
                    .filter(each -> !each.equals("seq") || !name.equals("message"))
                    .collect(Collectors.joining(", "));
            for (String change : CHANGES) {
                String right = change.substring(0, 6) + " " + name;
                String statement = change.replace("{table}", prefix + name)
                        .replace("{set}", set)
                        .replace("{inserted}", inserted);
                String failure = unused.contains(right) ? null : failure(connection, statement);
                if (failure != null) {
                    missing.add("GRANT %s ON %s TO %s (%s)"
                            .formatted(change.substring(0, 6), prefix + name, user, failure));
                }
            }
        }
        return missing;
    }

    /** The reason why a statement fails; null if it does not. */
    private static String failure(Connection connection, String statement) throws SQLException {
        try {
            JdbcStatement.of(connection, statement).within(TIMEOUT_SECONDS).update();
            return null;
        } catch (SQLException e) {
            if (!connection.isValid(TIMEOUT_SECONDS)) {
                throw e;
            }
            return FailureReason.of(e);
        }
    }

    /** The names of the tables and the view, with their prefix. */
    List<String> tables() {
        return tables.stream().map(table -> prefix + table.name()).toList();
    }

    /** The missing indexes. Without one, every claim would read all published messages. */
    List<String> missingIndexes(Connection connection) throws SQLException {
        List<String> missing = new ArrayList<>();
        for (Table table : SupportedDatabases.isTested(dialect) ? tables : List.<Table>of()) {
            Set<String> found = table.indexes().isEmpty() ? Set.of() : indexes(connection, table.name());
            table.indexes().stream()
                    .map(index -> dialect.indexPrefix(prefix) + index)
                    .filter(index -> !found.contains(lower(index)))
                    .map(index -> "index %s on %s%s is missing".formatted(index, prefix, table.name()))
                    .forEach(missing::add);
        }
        return missing;
    }

    /** The index names in lower case. */
    Set<String> indexes(Connection connection, String table) throws SQLException {
        Place place = place(connection, table);
        Set<String> names = new HashSet<>();
        try (ResultSet indexes =
                connection.getMetaData().getIndexInfo(place.catalog(), place.schema(), place.table(), false, true)) {
            while (indexes.next()) {
                names.add(lower(indexes.getString("INDEX_NAME")));
            }
        }
        return names;
    }

    /** Whether a persistence unit with schema generation has created a table from the view's entity. */
    boolean isViewATable(Connection connection) throws SQLException {
        Place place = place(connection, VIEW);
        String schema = place.schema() == null ? connection.getSchema() : place.schema();
        try (ResultSet tables = connection.getMetaData().getTables(place.catalog(), schema, place.table(), null)) {
            while (tables.next()) {
                // getTables() takes a pattern, in which an underscore matches any character.
                if (place.table().equals(tables.getString("TABLE_NAME"))
                        && tables.getString("TABLE_TYPE").endsWith("TABLE")) {
                    return true;
                }
            }
            return false;
        }
    }

    private Place place(Connection connection, String name) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String stored = prefix + name;
        if (database.storesUpperCaseIdentifiers()) {
            stored = stored.toUpperCase(Locale.ROOT);
        } else if (database.storesLowerCaseIdentifiers()) {
            stored = stored.toLowerCase(Locale.ROOT);
        }
        int dot = stored.indexOf('.');
        String qualifier = dot < 0 ? null : stored.substring(0, dot);
        // On MariaDB and MySQL the qualifier is a catalog. Without one, a search path may lead to any schema.
        boolean schemas = database.supportsSchemasInTableDefinitions();
        return new Place(
                qualifier == null || schemas ? connection.getCatalog() : qualifier,
                schemas ? qualifier : null,
                stored.substring(dot + 1));
    }

    private static String lower(String name) {
        return name == null ? "" : name.toLowerCase(Locale.ROOT);
    }

    /** The place of a table in JDBC's metadata. */
    private record Place(String catalog, String schema, String table) {}

    /** A table or the view, without the prefix, with its named indexes. */
    record Table(String name, List<String> columns, List<String> indexes) {}
}

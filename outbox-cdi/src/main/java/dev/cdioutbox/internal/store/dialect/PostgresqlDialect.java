package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** PostgreSQL 12 or later. */
final class PostgresqlDialect extends Dialect {
    PostgresqlDialect() {
        super("postgresql", new Errors(Set.of(), Set.of(), Set.of()), "PostgreSQL");
    }

    @Override
    public String now() {
        // statement_timestamp() and not clock_timestamp(): a volatile function cannot bound an index scan.
        return "statement_timestamp()";
    }

    /** A standby, or a database whose default is read-only. */
    @Override
    public Optional<String> isReadOnly() {
        return Optional.of("current_setting('transaction_read_only') = 'on'");
    }

    /** Asks the function that PostgreSQL itself asks: the owner of a table and a role with BYPASSRLS see each row. */
    @Override
    public Optional<String> tablesWithRowSecurity() {
        return Optional.of("SELECT c.relname FROM pg_class c WHERE c.oid = ANY (ARRAY[%s]::regclass[])"
                + " AND row_security_active(c.oid) ORDER BY c.relname");
    }

    @Override
    public String nowPlusMillis() {
        return "statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond'";
    }

    @Override
    public String timeParameter() {
        return "CAST(? AS TIMESTAMPTZ)";
    }

    @Override
    public boolean locksOnlyReturnedRows() {
        return true;
    }

    @Override
    public boolean changesWithinQuery() {
        return true;
    }

    /** OFFSET 0 keeps the planner from a join of its own. */
    @Override
    public String lookUpMessage(String message) {
        return "CROSS JOIN LATERAL (SELECT * FROM %s i WHERE i.seq = q.seq OFFSET 0) m".formatted(message);
    }

    /**
     * A plan is kept until somebody analyzes its tables, and the plan of small tables would read the whole tables when they
     * have grown. Without JIT, which would compile a statement for the costs that the settings pretend.
     */
    @Override
    public String planByIndex() {
        return Stream.of("enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "jit")
                .map("set_config('%s', 'off', TRUE)"::formatted)
                .collect(Collectors.joining(", ", "SELECT ", ""));
    }

    /**
     * A range and no equality. If most messages wait in one queue, the planner expects each queue to have many. With an
     * equality it then reads the table, or its primary key, from the beginning, and finds nothing in an empty queue. With
     * a range only the index of the queues gives the order.
     */
    @Override
    public String isInQueue(String row, String queue) {
        return row + ".queue_id >= " + queue + " AND " + row + ".queue_id <= " + queue;
    }

    /** A comparison of rows, so that the scan of the index begins at the sequence. */
    @Override
    public String isInQueueAbove(String row, String queue, String sequence) {
        String from = "(" + row + ".queue_id, " + row + ".seq) > (" + queue + ", " + sequence + ")";
        return from + " AND " + row + ".queue_id <= " + queue;
    }

    /** Not the current schema: that is only the first one of the search path. */
    @Override
    public String schemaOf(Connection connection, String table) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass(?)")) {
            select.setString(1, table);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** Measured: saves a tenth of an insert. */
    @Override
    public int mostRowsOfInsert() {
        return 16;
    }

    /**
     * A join, not a union: a union is planned anew at each execution, which takes as long as its execution. OFFSET 0 hides
     * the values from the planner: it would plan anew for each single queue, too.
     */
    @Override
    public String readQueues(String read, int queues, int limit) {
        String values = String.join(", ", Collections.nCopies(queues, "(CAST(? AS BIGINT), CAST(? AS BIGINT))"));
        return "SELECT r.* FROM (VALUES %s OFFSET 0) AS w (queue, start) CROSS JOIN LATERAL (%s %s ORDER BY q.queue_id, q.seq %s) r"
                .formatted(values, read, isInQueueAbove("q", "w.queue", "w.start"), limit(String.valueOf(limit)));
    }

    /**
     * The system column xmax names the last transaction that changed or locked this version of the row; 0 spares the row a
     * lock probe. pg_prepared_xacts would not do, because it misses a branch that is being prepared.
     */
    @Override
    public String perhapsLocked(String row) {
        return "CASE WHEN %s.xmax = 0 THEN 0 ELSE 1 END".formatted(row);
    }

    /** A publication with a filter and a list of columns. */
    @Override
    public String whyNoCdc(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseMajorVersion() < 15 ? "its publications cannot filter rows" : null;
    }

    /** Resolves one name only: of the schemas that a query would compare, an ordinary user may not use pg_toast. */
    @Override
    public String cdcState() {
        return """
                SELECT current_setting('wal_level') AS wal_level,
                  p.pubinsert AND NOT (p.pubupdate OR p.pubdelete OR p.pubtruncate) AS inserts_only,
                  array_to_string(t.attnames, ',') AS columns, t.rowfilter AS filter, s.active, s.wal_status,
                  pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS written, pg_wal_lsn_diff(s.confirmed_flush_lsn, '0/0') AS confirmed
                FROM (SELECT CAST(? AS TEXT) AS name) n LEFT JOIN pg_publication p ON p.pubname = n.name
                  LEFT JOIN pg_publication_tables t ON t.pubname = n.name
                    AND (t.schemaname, t.tablename) = (SELECT m.nspname, c.relname
                      FROM pg_class c JOIN pg_namespace m ON m.oid = c.relnamespace WHERE c.oid = to_regclass(?))
                  LEFT JOIN pg_replication_slots s ON s.slot_name = n.name AND s.database = current_database()""";
    }

    @Override
    public boolean hasReadWatermark() {
        return true;
    }

    /**
     * With outdated statistics, the planner would read all waiting rows by the index of the column. COALESCE and not an
     * addition: the planner infers from "column + 0 = ?" that the column is not null.
     */
    @Override
    public String withoutIndex(String column) {
        return "COALESCE(" + column + ", 0)";
    }

    /** A unique violation would abort the whole transaction, and the consumer's work with it. */
    @Override
    public String unlessPresent(String insert) {
        return insert + " ON CONFLICT DO NOTHING";
    }

    @Override
    public String deleteFirst(String table, String condition) {
        // By ctid, which the row locks keep stable. An array: the planner may run a subquery once for each row, and
        // each run may find other unlocked rows. Then the statement would delete more rows than the limit.
        String rows =
                "SELECT ctid FROM " + table + " WHERE " + condition + " " + limit("?") + " FOR UPDATE SKIP LOCKED";
        return "DELETE FROM " + table + " WHERE ctid = ANY (ARRAY(" + rows + "))";
    }

    @Override
    public Optional<String> preparedTransactions() {
        return Optional.of("SELECT CAST(current_setting('max_prepared_transactions') AS INT),"
                + " (SELECT COUNT(*) FROM pg_prepared_xacts)");
    }
}

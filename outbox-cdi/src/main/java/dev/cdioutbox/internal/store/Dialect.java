package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What differs between databases, as few words of SQL as will do. */
abstract class Dialect {
    private static final Set<String> TABLE_MISSING =
            Set.of("42X05", "42Y07", "42704", "42P01", "3F000", "42S02", "42S03", "42S04", "90079");

    private final String folder;
    private final List<String> products;

    Dialect(String folder, String... products) {
        this.folder = folder;
        this.products = List.of(products);
    }

    /** The database's clock, at this moment rather than at the start of the transaction where it can tell. */
    abstract String now();

    /** The database's clock and a number of milliseconds, which is the statement's parameter; null if that is null. */
    abstract String nowPlusMillis();

    /** The type of the columns that hold times. */
    abstract String timestamp();

    /** The schema in which a table without a schema's name is made. */
    abstract String currentSchema();

    /** Whether FOR UPDATE with a limit locks the rows that it returns; if not, it locks whatever it looked at. */
    abstract boolean locksOnlyReturnedRows();

    /** Locks rows until the transaction ends, and waits for whoever holds them. */
    String lock(String columns, String table, String condition) {
        return "SELECT %s FROM %s WHERE %s FOR UPDATE".formatted(columns, table, condition);
    }

    /** Locks those of the rows that no other transaction holds, until the transaction ends. */
    String lockSkipLocked(String columns, String table, String condition) {
        return lock(columns, table, condition) + " SKIP LOCKED";
    }

    /** Locks rows until the transaction ends, and fails if anybody else holds one of them. */
    String lockNoWait(String columns, String table, String condition) {
        return lock(columns, table, condition) + " NOWAIT";
    }

    /** Whether it can leave out rows that others hold; if not, {@link #lockFree} waits for them, and claims are leases. */
    boolean skipsLocked() {
        return true;
    }

    /**
     * Whether what is settled stays in the way of claims for as long as somebody reads, and the database can tell who may
     * still write.
     */
    boolean showsInFlightInserts() {
        return false;
    }

    /** Whether it is one of several servers that all take writes, and know nothing of each other's locks. */
    boolean isMultiWriterCluster(Connection connection) throws SQLException {
        return false;
    }

    /** Whether, above READ COMMITTED, it locks the gaps in which rows are missing: those who insert then end in deadlocks. */
    boolean locksGaps() {
        return false;
    }

    /** Whether the outbox's tests run on it. */
    boolean isTested() {
        return true;
    }

    /** No list of values may be longer, nor a statement have many more parameters. */
    int maxParameters() {
        return Integer.MAX_VALUE;
    }

    /** A query with an order and an end of its own, as a part of a union. */
    String unionPart(String query) {
        return "(" + query + ")";
    }

    /** Ends a query without an order after so many rows. */
    String limitUnordered(String rows) {
        return limit(rows);
    }

    /** What is inserted: one row of these expressions. */
    String insertedRow(String expressions) {
        return "VALUES (" + expressions + ")";
    }

    /** A text of no length. */
    String emptyText() {
        return "''";
    }

    /** Whether a column that holds a long text holds one of no length. */
    String isEmptyText(String column) {
        return column + " = ''";
    }

    /**
     * A short text as it is stored: so that an empty one is not taken for none, and two that differ in the blanks at their
     * ends not for one.
     */
    String encodeText(String text) {
        return text;
    }

    /** A short text as it was before it was {@linkplain #stored stored}. */
    String decodeText(String text) {
        return text;
    }

    /** Counts the tables, and not the views, of a name. */
    final String countTable(String name) {
        int dot = name.indexOf('.');
        String schema = dot < 0 ? currentSchema() : "'" + name.substring(0, dot) + "'";
        return countTables()
                + " AND LOWER(table_name) = LOWER('%s') AND LOWER(table_schema) = LOWER(%s)"
                        .formatted(name.substring(dot + 1), schema);
    }

    /** Counts tables, with the columns {@code table_name} and {@code table_schema} and a condition to add to. */
    String countTables() {
        return "SELECT COUNT(*) FROM information_schema.tables WHERE table_type = 'BASE TABLE'";
    }

    /** How the names of indexes begin: with the schema's name before the prefix only if the database takes it there. */
    String indexPrefix(String prefix) {
        return prefix.substring(prefix.indexOf('.') + 1);
    }

    /** The names of indexes that are there and not used, since their making failed. */
    Optional<String> unusableIndexes() {
        return Optional.empty();
    }

    /** A statement that makes an index, so that those who write need not wait for it, where there is such a way. */
    String createIndexOnline(String createIndex) {
        return createIndex;
    }

    /** Lets a session wait a second at most for a table that it wants to change; none if it needs nothing for that. */
    Optional<String> shortLockTimeout() {
        return Optional.empty();
    }

    /** Ends the {@linkplain #haste haste}. */
    String defaultLockTimeout() {
        throw new IllegalStateException("there was no haste");
    }

    /** Whether a statement failed because the table is in use. */
    boolean isTableLocked(SQLException e) {
        return false;
    }

    /** Whether a statement failed because what it makes is there already. */
    abstract boolean isAlreadyPresent(SQLException e);

    /** Whether a query failed because its table is not there. */
    boolean isTableMissing(SQLException e) {
        // Derby, Db2, PostgreSQL, the others' states; and the numbers of Oracle and SQL Server
        return TABLE_MISSING.contains(String.valueOf(e.getSQLState()))
                || e.getErrorCode() == 942
                || e.getErrorCode() == 208;
    }

    /** A column that is compared in rows which are found otherwise, so that they are not sought by an index of it. */
    String withoutIndex(String column) {
        return column;
    }

    /** A table whose rows are named by their primary keys. */
    String byPrimaryKey(String table) {
        return table;
    }

    /** A table whose rows are sought in the order of an index. */
    String byIndex(String table, String index) {
        return table;
    }

    /** The beginning of a statement that deletes rows which are named by their primary keys. */
    String deleteByPrimaryKey(String table) {
        return "DELETE FROM " + table;
    }

    /** Ends a query after so many rows. */
    String limit(String rows) {
        return "FETCH FIRST " + rows + " ROWS ONLY";
    }

    /**
     * Ends the condition of an update of one queue, so that it changes those rows which are due longest.
     *
     * @param due the condition for {@code available_at}
     */
    String limitDue(String table, String due, int rows) {
        return "seq IN (SELECT d.seq FROM %s d WHERE d.queue_id = ? AND %s ORDER BY d.available_at %s)"
                .formatted(table, due, limit(String.valueOf(rows)));
    }

    /** The time of a blocked key that is not due before an operator says so: none, or one that stands behind all others. */
    String neverDue() {
        return "NULL";
    }

    /** Whether a partition, {@code p}, is blocked that is due: found by one look into the index of their times. */
    String hasDueBlockedKey(String blockedKey, String index) {
        return "(SELECT g.id FROM %s g WHERE g.partition_id = p.id AND g.due_at <= %s ORDER BY g.partition_id, g.due_at %s) IS NOT NULL"
                .formatted(blockedKey, now(), limit("1"));
    }

    /**
     * Inserts rows whose keys only one of them has.
     *
     * @param key the condition that asks for the key's columns, in the order of the insert
     */
    UniqueInsert uniqueInsert(String table, String key, String insert) {
        return UniqueInsert.byStatement(insert, this);
    }

    /** Whether a statement failed because the row is there already; the transaction goes on. */
    boolean isDuplicate(SQLException e) {
        return false;
    }

    /** Whether a statement failed because another transaction held a row for too long; the transaction goes on. */
    boolean isLockTimeout(SQLException e) {
        return false;
    }

    /** Whether a query that does not wait failed because another transaction holds a row of it. */
    boolean isLockedByOther(SQLException e) {
        // PostgreSQL's answer, and MySQL's; the others say that they waited for too long
        return isLockTimeout(e) || "55P03".equals(e.getSQLState()) || e.getErrorCode() == 3572;
    }

    /** Deletes so many of the rows that meet a condition; the last parameter is the limit. */
    String deleteFirst(String table, String key, String condition) {
        return "DELETE FROM %s WHERE %s %s".formatted(table, condition, limit("?"));
    }

    void setTime(PreparedStatement statement, int parameter, Instant time) throws SQLException {
        statement.setObject(
                parameter, time == null ? null : time.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE);
    }

    /** A parameter that {@link #setTime} sets, to be compared with a column. */
    String timeParameter() {
        return "CAST(? AS " + timestamp() + ")";
    }

    /** A time as a query has to ask for it, so that {@link #time} can read it. */
    String selectTime(String time) {
        return time;
    }

    Instant time(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** The resource folder of the schema files. */
    String folder() {
        return folder;
    }

    /** What the database calls itself. */
    List<String> products() {
        return products;
    }

    boolean isOf(String productName) {
        return products.contains(productName);
    }
}

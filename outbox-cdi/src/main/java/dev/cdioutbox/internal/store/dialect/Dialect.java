package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** The differences between databases, as small pieces of SQL. */
public abstract class Dialect {
    private static final Set<String> TABLE_MISSING =
            Set.of("42704", "42P01", "3F000", "42S02", "42S03", "42S04", "90079");

    private final String folder;
    private final Errors errors;
    private final List<String> products;

    Dialect(String folder, Errors errors, String... products) {
        this.folder = folder;
        this.errors = errors;
        this.products = List.of(products);
    }

    /** The database's clock: at this moment where possible, not at the start of the transaction. */
    public abstract String now();

    /** The database's clock plus a parameter in milliseconds; null if the parameter is null. */
    public abstract String nowPlusMillis();

    /** Whether a query may contain changes of other tables (WITH ... DELETE ... RETURNING), so that one statement moves rows. */
    public boolean changesWithinQuery() {
        return false;
    }

    /**
     * Joins the message {@code m} of a row {@code q} of the queue, by its primary key whatever the planner believes of the
     * tables' sizes. A row without a message stays, so that a claim reports it.
     *
     * @param message the messages' table
     */
    public String joinMessage(String message) {
        return "LEFT JOIN " + byPrimaryKey(message + " m") + " ON m.seq = q.seq";
    }

    /**
     * Joins the message {@code m} of each of many rows {@code q} of the queue, in the order of the queue's rows. Otherwise a
     * planner would begin with the messages, of which nearly all are settled, or read all of them for some rows.
     *
     * @param message the messages' table
     */
    public String lookUpMessage(String message) {
        return "JOIN " + byPrimaryKey(message + " m") + " ON m.seq = q.seq + 0";
    }

    /**
     * A query that keeps the planner from plans that fit small tables only, until the transaction ends; null if the database
     * needs none.
     */
    public String planByIndex() {
        return null;
    }

    /** Whether FOR UPDATE with a limit locks the returned rows only; if not, it locks every row that it reads. */
    public boolean locksOnlyReturnedRows() {
        return false;
    }

    /** Locks rows until the transaction ends, and waits for other transactions. */
    public String lock(String columns, String table, String condition) {
        return "SELECT %s FROM %s WHERE %s FOR UPDATE".formatted(columns, table, condition);
    }

    /** Locks rows until the transaction ends, and skips rows that other transactions lock. */
    public String lockSkipLocked(String columns, String table, String condition) {
        return lock(columns, table, condition) + " SKIP LOCKED";
    }

    /**
     * The condition on the rows of a queue, for a query in the order of the queue.
     *
     * @param row the alias of the queue's table
     * @param queue the id of the queue, as an expression
     */
    public String isInQueue(String row, String queue) {
        return "%s.queue_id = %s".formatted(row, queue);
    }

    /** The same for the rows above a sequence. */
    public String isInQueueAbove(String row, String queue, String sequence) {
        return isInQueue(row, queue) + " AND %s.seq > %s".formatted(row, sequence);
    }

    /** 1 if a transaction that has not ended may have changed or locked the row, else 0. Most databases do not tell. */
    public String perhapsLocked(String row) {
        return "1";
    }

    /**
     * Reads the first rows of each queue above a sequence. The parameters are pairs of a queue's id and a sequence. The
     * limit is no parameter, because a plan must not depend on its value.
     *
     * @param read selects from the queue with the alias {@code q}, up to WHERE
     */
    public String readQueues(String read, int queues, int limit) {
        String condition = isInQueueAbove("q", "?", "?") + " ORDER BY q.queue_id, q.seq ";
        String page = unionPart(read + " " + condition + limit(String.valueOf(limit)));
        return String.join(" UNION ALL ", Collections.nCopies(queues, page));
    }

    /** A condition that holds while the database refuses all changes; empty if it does not tell. */
    public Optional<String> isReadOnly() {
        return Optional.empty();
    }

    /**
     * A query for the tables whose rows row-level security may hide from this session. Each parameter is the name of a
     * table; {@code %s} is in the place of their list.
     */
    public Optional<String> tablesWithRowSecurity() {
        return Optional.empty();
    }

    /** Why change data capture is not possible; null if it is. */
    public String whyNoCdc(Connection connection) throws SQLException {
        return "nobody has tried it";
    }

    /**
     * A query for the state of change data capture. Its parameters are the name of the publication and of the slot, and the
     * messages' table.
     */
    public String cdcState() {
        throw new UnsupportedOperationException();
    }

    /** Whether claims read above a {@link ReadWatermark}. */
    public boolean hasReadWatermark() {
        return false;
    }

    /** The schema in which this session finds a table by its name alone; null if it does not tell. */
    public String schemaOf(Connection connection, String table) throws SQLException {
        return connection.getSchema();
    }

    /** What the database is, if a setting makes it one that the outbox does not support; else null. */
    String refusal(Connection connection) throws SQLException {
        return null;
    }

    /** What is wrong with the database's setup or the DataSource's. */
    List<Finding> findings(Connection connection) throws SQLException {
        return connection.getTransactionIsolation() == Connection.TRANSACTION_SERIALIZABLE
                ? List.of(
                        OutboxCode.SERIALIZABLE.finding(connection.getMetaData().getDatabaseProductName()))
                : List.of();
    }

    /** A query with its own order and limit, as a part of a union. */
    public String unionPart(String query) {
        return "(" + query + ")";
    }

    /** Limits a query without an order. */
    public String limitUnordered(String rows) {
        return limit(rows);
    }

    /** A number of rows of an INSERT, each with these expressions. */
    public String insertedRows(String expressions, int rows) {
        return "VALUES " + String.join(", ", Collections.nCopies(rows, "(" + expressions + ")"));
    }

    /** The most rows that one INSERT has, if this is faster than a batch of statements. */
    public int mostRowsOfInsert() {
        return 1;
    }

    /** The most rows that one INSERT with a subquery for each row has; 1 for a batch of statements with one row each. */
    public int mostRowsWithSubquery() {
        return 1;
    }

    /** An empty text. */
    public String emptyText() {
        return "''";
    }

    /** Whether a column with a long text is empty. */
    public String isEmptyText(String column) {
        return column + " = ''";
    }

    /** The stored form of a short text, which keeps an empty text and trailing blanks. */
    public String encodeText(String text) {
        return text;
    }

    /** The text that {@link #encodeText} has encoded. */
    public String decodeText(String text) {
        return text;
    }

    /** The prefix of index names, with the schema's name only if the database accepts it there. */
    public String indexPrefix(String prefix) {
        return prefix.substring(prefix.indexOf('.') + 1);
    }

    /**
     * Whether a statement of the schema file failed because its object exists already, on a database without IF NOT
     * EXISTS.
     */
    public boolean isAlreadyPresent(SQLException e) {
        return errors.alreadyPresent.contains(e.getErrorCode());
    }

    /** A query for the most prepared transactions that the server allows, and for their number now. */
    public Optional<String> preparedTransactions() {
        return Optional.empty();
    }

    /** Whether a query failed because its table does not exist. */
    public boolean isTableMissing(SQLException e) {
        // The SQL states of Db2, PostgreSQL and others; the error codes of Oracle, SQL Server, and of MariaDB for a
        // missing right or database.
        return TABLE_MISSING.contains(String.valueOf(e.getSQLState()))
                || Set.of(942, 208, 1142, 1049).contains(e.getErrorCode());
    }

    /** A column in a condition: keeps the optimizer from an index of this column. */
    public String withoutIndex(String column) {
        return column;
    }

    /** A table, with a hint to search by the primary key. */
    public String byPrimaryKey(String table) {
        return table;
    }

    /** A table, with a hint to read in the order of an index. */
    public String byIndex(String table, String index) {
        return table;
    }

    /** The beginning of a DELETE, with a hint to search by the primary key. */
    public String deleteByPrimaryKey(String table) {
        return "DELETE FROM " + table;
    }

    /** Limits a query to a number of rows. */
    public String limit(String rows) {
        return "FETCH FIRST " + rows + " ROWS ONLY";
    }

    /**
     * The end of a query on one queue, which limits it to the longest due rows.
     *
     * @param due the condition for {@code available_at}
     */
    public String limitDue(String due, int rows) {
        return "%s ORDER BY available_at %s".formatted(due, limit(String.valueOf(rows)));
    }

    /** The due time of a blocked key that waits for an operator: null, or a time after all others. */
    public String neverDue() {
        return "NULL";
    }

    /**
     * Whether a partition, {@code p}, has a due blocked key: one lookup in the index of due times. Compares the earliest
     * time: MariaDB does not use the index for a time in the condition of a correlated subquery.
     */
    public final String hasDueBlockedKey(String blockedKey, String index) {
        return "(SELECT g.due_at FROM %s WHERE g.partition_id = p.id AND g.due_at IS NOT NULL ORDER BY g.partition_id, g.due_at %s) <= %s"
                .formatted(byIndex(blockedKey + " g", index), limit("1"), now());
    }

    /** An INSERT that inserts nothing, or fails with {@link #isDuplicate}, if its row exists. */
    public String unlessPresent(String insert) {
        return insert;
    }

    /** Whether transactions that wait for the insert of the same row deadlock when it is rolled back. */
    public boolean deadlocksAfterRolledBackInsert() {
        return false;
    }

    /** Whether a statement failed because the row exists already; the transaction stays usable. */
    public boolean isDuplicate(SQLException e) {
        return errors.duplicate.contains(e.getErrorCode());
    }

    /** Whether a statement failed after it had waited too long for a row lock; the transaction stays usable. */
    public boolean isLockTimeout(SQLException e) {
        return errors.lockTimeout.contains(e.getErrorCode());
    }

    /** Deletes rows that meet a condition; the last parameter is the limit. */
    public String deleteFirst(String table, String condition) {
        return "DELETE FROM %s WHERE %s %s".formatted(table, condition, limit("?"));
    }

    public void setTime(PreparedStatement statement, int parameter, Instant time) throws SQLException {
        statement.setObject(parameter, time == null ? null : timeValue(time), Types.TIMESTAMP_WITH_TIMEZONE);
    }

    /** A time in the form of a parameter. */
    public Object timeValue(Instant time) {
        return time.atOffset(ZoneOffset.UTC);
    }

    /** A parameter that is a text, where a statement does not tell its type. */
    public String textParameter(int length) {
        return "CAST(? AS VARCHAR(" + length + "))";
    }

    /** A parameter for {@link #setTime} that can be compared with a column. */
    public abstract String timeParameter();

    /** A time in a SELECT, in the form that {@link #time} reads. */
    public String selectTime(String time) {
        return time;
    }

    public Instant time(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** The resource folder of the schema files. */
    public String folder() {
        return folder;
    }

    /** The database's own names. */
    List<String> products() {
        return products;
    }

    boolean isOf(String productName) {
        return products.contains(productName);
    }

    /** A database's error codes for the questions {@link #isDuplicate} and so on; empty if the outbox does not ask. */
    record Errors(Set<Integer> duplicate, Set<Integer> lockTimeout, Set<Integer> alreadyPresent) {}
}

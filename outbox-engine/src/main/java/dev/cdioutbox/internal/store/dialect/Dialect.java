package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;

/** The differences between databases that concern many statements. The rest stands where the statement does. */
public abstract class Dialect {
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
    public abstract String nowPlusMillis(String parameter);

    /**
     * A statement in the SQL of this database. As it is given, it is in that of H2, with hints for MariaDB and MySQL, to all
     * others a comment: {@code /*! FORCE INDEX (PRIMARY) *&#47;}.
     */
    public String translate(String statement) {
        return statement.replaceAll(" /\\*!.*?\\*/", "");
    }

    /**
     * A query that keeps the planner from plans that fit small tables only, until the transaction ends; null if the database
     * needs none.
     */
    public String planByIndex() {
        return null;
    }

    /**
     * The same for a statement that joins the rows of some limited reads. A loop would compare each row of one with each row of
     * the other.
     */
    public String planScansByIndex() {
        return null;
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

    /** The due time of a blocked key that waits for an operator: null, or a time after all others. */
    public String neverDue() {
        return "NULL";
    }

    /** Whether a statement failed because the row exists already; the transaction stays usable. */
    public boolean isDuplicate(SQLException e) {
        return errors.duplicate.contains(e.getErrorCode());
    }

    /** Whether a statement failed after it had waited too long for a row lock; the transaction stays usable. */
    public boolean isLockTimeout(SQLException e) {
        return errors.lockTimeout.contains(e.getErrorCode());
    }

    public void setTime(PreparedStatement statement, int parameter, Instant time) throws SQLException {
        statement.setObject(parameter, time == null ? null : timeValue(time), Types.TIMESTAMP_WITH_TIMEZONE);
    }

    /** A time in the form of a parameter. */
    public Object timeValue(Instant time) {
        return time.atOffset(ZoneOffset.UTC);
    }

    /** A parameter for {@link #setTime} that can be compared with a column. */
    public abstract String timeParameter(String parameter);

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

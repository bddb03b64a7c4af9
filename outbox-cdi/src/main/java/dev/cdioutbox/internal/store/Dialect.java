package dev.cdioutbox.internal.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What differs between databases, as few words of SQL as will do. */
enum Dialect {
    H2("h2", "H2") {
        @Override
        String now() {
            return "CURRENT_TIMESTAMP";
        }

        @Override
        String nowPlusMillis() {
            return "DATEADD(MILLISECOND, CAST(? AS BIGINT), CURRENT_TIMESTAMP)";
        }

        @Override
        String timestamp() {
            return "TIMESTAMP(6) WITH TIME ZONE";
        }

        @Override
        String currentSchema() {
            return "CURRENT_SCHEMA";
        }

        /** It would run a subquery with a limit once for each row. Which of the due ones come first is no matter. */
        @Override
        String firstDue(String table, int rows) {
            return "available_at <= %s FETCH FIRST %d ROWS ONLY".formatted(now(), rows);
        }

        @Override
        boolean locksWhatItReturns() {
            return false;
        }

        @Override
        boolean isDuplicate(SQLException e) {
            return e.getErrorCode() == 23505;
        }

        @Override
        boolean isLockTimeout(SQLException e) {
            return e.getErrorCode() == 50200;
        }
    },
    POSTGRESQL("postgresql", "PostgreSQL") {
        @Override
        String now() {
            return "clock_timestamp()";
        }

        @Override
        String nowPlusMillis() {
            return "clock_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond'";
        }

        @Override
        String timestamp() {
            return "TIMESTAMPTZ";
        }

        @Override
        String currentSchema() {
            return "current_schema()";
        }

        @Override
        boolean locksWhatItReturns() {
            return true;
        }

        /** A violation would abort the whole transaction, and the consumer's work with it. */
        @Override
        UniqueInsert uniqueInsert(String table, String key, String insert) {
            return UniqueInsert.atOnce(insert + " ON CONFLICT DO NOTHING", this);
        }

        @Override
        String deleteFirst(String table, String key, String condition) {
            return "DELETE FROM %1$s WHERE (%2$s) IN (SELECT %2$s FROM %1$s WHERE %3$s %4$s FOR UPDATE SKIP LOCKED)"
                    .formatted(table, key, condition, first("?"));
        }
    },
    /**
     * Neither database has a time with a zone that keeps its instant: times are UTC in columns without one, and text on
     * their way, since drivers move times to the zone of the session or of the JVM.
     */
    MARIADB("mariadb", "MariaDB", "MySQL") {
        @Override
        String now() {
            return "UTC_TIMESTAMP(6)";
        }

        @Override
        String nowPlusMillis() {
            return "TIMESTAMPADD(MICROSECOND, 1000 * CAST(? AS SIGNED), UTC_TIMESTAMP(6))";
        }

        @Override
        String timestamp() {
            return "DATETIME(6)";
        }

        @Override
        String integer() {
            return "SIGNED";
        }

        @Override
        String currentSchema() {
            return "DATABASE()";
        }

        @Override
        String first(String rows) {
            return "LIMIT " + rows;
        }

        /** It takes no limit within IN, and no subquery on the table that is updated; but a limit on the update itself. */
        @Override
        String firstDue(String table, int rows) {
            return "available_at <= %s ORDER BY available_at LIMIT %d".formatted(now(), rows);
        }

        @Override
        boolean locksWhatItReturns() {
            return false;
        }

        /** InnoDB locks what it comes by: on its way along another index, that would be what others hold. */
        @Override
        String byKey(String table) {
            return table + " FORCE INDEX (PRIMARY)";
        }

        @Override
        String deleteByKey(String table) {
            return "DELETE m FROM " + byKey(table + " m");
        }

        @Override
        UniqueInsert uniqueInsert(String table, String key, String insert) {
            return new QueuedInsert(table, key, insert, this);
        }

        @Override
        boolean isLockTimeout(SQLException e) {
            return e.getErrorCode() == 1205;
        }

        @Override
        void setTime(PreparedStatement statement, int parameter, Instant time) throws SQLException {
            statement.setString(
                    parameter, time == null ? null : UTC.format(LocalDateTime.ofInstant(time, ZoneOffset.UTC)));
        }

        /** The driver moves even a LocalDateTime, if it falls into an hour that the JVM's zone leaves out in spring. */
        @Override
        String read(String time) {
            return "CAST(%s AS CHAR)".formatted(time);
        }

        @Override
        Instant time(ResultSet row, String column) throws SQLException {
            String time = row.getString(column);
            return time == null
                    ? null
                    : LocalDateTime.parse(time.replace(' ', 'T')).toInstant(ZoneOffset.UTC);
        }
    };

    private static final DateTimeFormatter UTC = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");

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
    abstract boolean locksWhatItReturns();

    /** The type to which a parameter is cast that is a whole number. */
    String integer() {
        return "INT";
    }

    /** A table whose rows are named by their primary keys. */
    String byKey(String table) {
        return table;
    }

    /** The beginning of a statement that deletes rows which are named by their primary keys. */
    String deleteByKey(String table) {
        return "DELETE FROM " + table;
    }

    /** Ends a query after so many rows. */
    String first(String rows) {
        return "FETCH FIRST " + rows + " ROWS ONLY";
    }

    /** Ends the condition of an update of one queue, so that it changes those rows which are due longest. */
    String firstDue(String table, int rows) {
        return "seq IN (SELECT d.seq FROM %s d WHERE d.queue_id = ? AND d.available_at <= %s ORDER BY d.available_at %s)"
                .formatted(table, now(), first(String.valueOf(rows)));
    }

    /**
     * Inserts rows whose keys only one of them has.
     *
     * @param key the condition that asks for the key's columns, in the order of the insert
     */
    UniqueInsert uniqueInsert(String table, String key, String insert) {
        return UniqueInsert.atOnce(insert, this);
    }

    /** Whether a statement failed because the row is there already; the transaction goes on. */
    boolean isDuplicate(SQLException e) {
        return false;
    }

    /** Whether a statement failed because another transaction held a row for too long; the transaction goes on. */
    boolean isLockTimeout(SQLException e) {
        return false;
    }

    /** Deletes so many of the rows that meet a condition; the last parameter is the limit. */
    String deleteFirst(String table, String key, String condition) {
        return "DELETE FROM %s WHERE %s %s".formatted(table, condition, first("?"));
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
    String read(String time) {
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

    /** The names of all databases that there is a dialect for. */
    static List<String> products() {
        return Arrays.stream(values()).flatMap(d -> d.products.stream()).toList();
    }

    static Optional<Dialect> of(String productName) {
        return Stream.of(values()).filter(d -> d.products.contains(productName)).findFirst();
    }
}

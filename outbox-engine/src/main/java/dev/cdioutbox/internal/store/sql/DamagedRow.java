package dev.cdioutbox.internal.store.sql;

import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;

/** Reads what can still be read of a row with a damaged value. A value that is damaged itself reads as if it were missing. */
public final class DamagedRow {
    /** The class of the SQL states of values that a driver cannot convert. */
    private static final String DATA_EXCEPTION = "22";

    private DamagedRow() {}

    /** Whether a read has failed because of a value, and neither of the connection nor of the statement. */
    public static boolean isDamage(Exception failure) {
        // PostgreSQL's driver has only the SQL state.
        return failure instanceof RuntimeException
                || failure instanceof SQLDataException
                || failure instanceof SQLException e
                        && String.valueOf(e.getSQLState()).startsWith(DATA_EXCEPTION);
    }

    public static String text(ResultSet row, String column) throws SQLException {
        return value(() -> row.getString(column), null);
    }

    public static int number(ResultSet row, String column) throws SQLException {
        return value(() -> row.getInt(column), 0);
    }

    private static <T> T value(Read<T> read, T damaged) throws SQLException {
        try {
            return read.value();
        } catch (RuntimeException | SQLException e) {
            if (isDamage(e)) {
                return damaged;
            }
            throw e;
        }
    }

    private interface Read<T> {
        T value() throws SQLException;
    }
}

package dev.cdioutbox.internal.store.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;

import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.dialect.Dialect;

/** The form in which a column keeps its value: what stands for the value in an INSERT, and how it is bound. */
enum ColumnForm {
    PLAIN,
    /** A text that may be empty or end with a blank, {@linkplain Dialect#encodeText encoded}. */
    TEXT,
    NUMBER,
    ID,
    BYTES,
    TIME,
    /** The database's time of the insert, which is not bound. */
    DATABASE_TIME,
    /** A time, which is inserted as an {@link Expiry}. */
    EXPIRY;

    boolean isTime() {
        return this == TIME || this == DATABASE_TIME || this == EXPIRY;
    }

    /** What stands for the value in an INSERT. */
    String inserted(Dialect dialect) {
        return switch (this) {
            case PLAIN, TEXT, NUMBER, ID, BYTES -> "?";
            case TIME -> dialect.timeParameter("?");
            case DATABASE_TIME -> dialect.now();
            case EXPIRY -> "COALESCE(%s, %s)".formatted(dialect.timeParameter("?"), dialect.nowPlusMillis("?"));
        };
    }

    /** @return the number of the parameter after this value */
    int bind(PreparedStatement insert, int parameter, Object value, Dialect dialect) throws SQLException {
        switch (this) {
            case PLAIN -> insert.setString(parameter, (String) value);
            case TEXT -> insert.setString(parameter, dialect.encodeText((String) value));
            case NUMBER -> insert.setObject(parameter, value, Types.INTEGER);
            case ID -> insert.setLong(parameter, (Long) value);
            case BYTES -> insert.setBytes(parameter, (byte[]) value);
            case TIME -> dialect.setTime(insert, parameter, (Instant) value);
            case DATABASE_TIME -> {
                return parameter;
            }
            case EXPIRY -> {
                Expiry expiry = value == null ? Expiry.NEVER : (Expiry) value;
                dialect.setTime(insert, parameter, expiry.at());
                insert.setObject(parameter + 1, expiry.millisAfterInsert(), Types.BIGINT);
                return parameter + 2;
            }
        }
        return parameter + 1;
    }

    /**
     * When a message expires.
     *
     * @param at for a delayed message; else null
     * @param millisAfterInsert for a message that is not delayed, by the database's clock; else null
     */
    record Expiry(Instant at, Long millisAfterInsert) {
        private static final Expiry NEVER = new Expiry(null, null);

        /** Null if the message never expires. */
        static Expiry of(Terms terms) {
            if (terms.timeToLive() == null) {
                return null;
            }
            return terms.notBefore() == null
                    ? new Expiry(null, terms.timeToLive().toMillis())
                    : new Expiry(terms.notBefore().plus(terms.timeToLive()), null);
        }
    }
}

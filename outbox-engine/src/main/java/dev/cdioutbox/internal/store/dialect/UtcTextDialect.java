package dev.cdioutbox.internal.store.dialect;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * A database without a type for a time with its zone. Columns hold UTC, and parameters and results are text, since
 * drivers convert times to the zone of the session or the JVM.
 */
abstract class UtcTextDialect extends Dialect {
    private static final DateTimeFormatter UTC = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

    private static final String GUARD = "\u001F";

    private final boolean guardsText;

    /**
     * @param guardsText whether the database treats an empty text as null, or ignores trailing blanks. Then the outbox
     *     stores such texts with a trailing control character, and also texts that end with that character.
     */
    UtcTextDialect(String folder, Errors errors, boolean guardsText, String... products) {
        super(folder, errors, products);
        this.guardsText = guardsText;
    }

    @Override
    public final String encodeText(String text) {
        boolean guarded = guardsText && text != null && (text.isEmpty() || text.endsWith(" ") || text.endsWith(GUARD));
        return guarded ? text + GUARD : text;
    }

    @Override
    public final String decodeText(String text) {
        return guardsText && text != null && text.endsWith(GUARD) ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    public void setTime(PreparedStatement statement, int parameter, Instant time) throws SQLException {
        statement.setString(parameter, time == null ? null : timeValue(time));
    }

    @Override
    public String timeValue(Instant time) {
        return UTC.format(LocalDateTime.ofInstant(time, ZoneOffset.UTC));
    }

    @Override
    public Instant time(ResultSet row, String column) throws SQLException {
        String time = row.getString(column);
        return time == null ? null : LocalDateTime.parse(time.replace(' ', 'T')).toInstant(ZoneOffset.UTC);
    }
}

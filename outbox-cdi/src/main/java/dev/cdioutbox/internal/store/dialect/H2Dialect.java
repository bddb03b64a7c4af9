package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Set;

/** H2 2.2.220 or later. */
final class H2Dialect extends Dialect {
    H2Dialect() {
        super("h2", new Errors(Set.of(23505), Set.of(50200), Set.of()), "H2");
    }

    @Override
    public String whyNoCdc(Connection connection) {
        return "it has no log that others can read";
    }

    @Override
    public String now() {
        return "CURRENT_TIMESTAMP";
    }

    /** In this mode, H2 stores an empty text as null: a message with an empty key would lose its order. */
    @Override
    String refusal(Connection connection) throws SQLException {
        // In capitals, which stay what they are with DATABASE_TO_UPPER=FALSE.
        try (Statement select = connection.createStatement();
                ResultSet row = select.executeQuery(
                        "SELECT 1 FROM INFORMATION_SCHEMA.SETTINGS WHERE SETTING_NAME = 'MODE' AND SETTING_VALUE = 'Oracle'")) {
            return row.next() ? "H2 in Oracle mode, where an empty key becomes null," : null;
        }
    }

    @Override
    public Optional<String> isReadOnly() {
        return Optional.of("READONLY()");
    }

    @Override
    public String nowPlusMillis() {
        return "DATEADD(MILLISECOND, CAST(? AS BIGINT), CURRENT_TIMESTAMP)";
    }

    @Override
    public String timeParameter() {
        return "CAST(? AS TIMESTAMP(6) WITH TIME ZONE)";
    }

    /** Without an order, which H2 would get by a sort of all rows. The order among the due messages does not matter. */
    @Override
    public String limitDue(String due, int rows) {
        return "%s FETCH FIRST %s ROWS ONLY".formatted(due, rows);
    }
}

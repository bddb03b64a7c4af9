package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/** H2 2.2.220 or later. */
final class H2Dialect extends Dialect {
    H2Dialect() {
        super("h2", new Errors(Set.of(23505), Set.of(50200), Set.of()), "H2");
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
    public String nowPlusMillis(String parameter) {
        return "DATEADD(MILLISECOND, CAST(" + parameter + " AS BIGINT), CURRENT_TIMESTAMP)";
    }

    @Override
    public String timeParameter(String parameter) {
        return "CAST(" + parameter + " AS TIMESTAMP(6) WITH TIME ZONE)";
    }
}

package dev.cdioutbox.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Finds messages from outside the application, in the view of its tables. */
record TableSource(DataSource database, String tablePrefix, String application) implements MessageSource {

    @Override
    public List<SeenMessage> undelivered() {
        return find("status IN ('PENDING', 'FAILED')", application);
    }

    @Override
    public List<SeenMessage> abandoned(String key) {
        return find("status = 'ABANDONED' AND message_key = ?", application, key);
    }

    private List<SeenMessage> find(String condition, String... parameters) {
        String sql = "SELECT message_id, event_type, message_key, destination, status, attempts, last_error FROM "
                + tablePrefix + "message_view WHERE application = ? AND " + condition + " ORDER BY seq";
        try (Connection connection = database.getConnection();
                PreparedStatement select = connection.prepareStatement(sql)) {
            select.setMaxRows(LIMIT);
            for (int i = 0; i < parameters.length; i++) {
                select.setString(i + 1, parameters[i]);
            }
            return rows(select);
        } catch (SQLException e) {
            throw new IllegalStateException("Could not read the outbox table: " + sql, e);
        }
    }

    private static List<SeenMessage> rows(PreparedStatement select) throws SQLException {
        List<SeenMessage> found = new ArrayList<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                found.add(new SeenMessage(
                        rows.getString(1),
                        rows.getString(2),
                        rows.getString(3),
                        rows.getString(4),
                        rows.getString(5),
                        rows.getInt(6),
                        rows.getString(7)));
            }
        }
        return found;
    }
}

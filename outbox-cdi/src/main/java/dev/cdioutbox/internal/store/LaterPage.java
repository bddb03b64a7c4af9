package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What was accepted from pages after a queue's first. Each page shows what was committed when it was read: since the one
 * before it, a message may have come in behind, and its follower ahead. Such a follower must wait.
 */
final class LaterPage {
    private final Statements sql;
    private final Map<Integer, Long> starts;
    private final Map<Integer, Set<String>> keys = new HashMap<>();

    /**
     * @param starts the sequence behind which each queue's page begins
     */
    LaterPage(Statements sql, Map<Integer, Long> starts) {
        this.sql = sql;
        this.starts = Map.copyOf(starts);
    }

    void accepted(int queue, String key) {
        if (key != null && starts.get(queue) > 0) {
            keys.computeIfAbsent(queue, q -> new HashSet<>()).add(key);
        }
    }

    /** The keys that have a row now where an earlier page had none. */
    Set<String> overtaking(Connection connection) throws SQLException {
        Set<String> overtaking = new HashSet<>();
        for (Map.Entry<Integer, Set<String>> ofQueue : keys.entrySet()) {
            overtaking.addAll(behind(connection, ofQueue.getKey(), List.copyOf(ofQueue.getValue())));
        }
        return overtaking;
    }

    private Set<String> behind(Connection connection, int queue, List<String> wanted) throws SQLException {
        int parameters = Statements.padded(wanted.size());
        Set<String> behind = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(sql.keysBehind(parameters))) {
            select.setInt(1, queue);
            select.setLong(2, starts.get(queue));
            for (int i = 0; i < parameters; i++) {
                select.setString(i + 3, sql.dialect().stored(wanted.get(Math.min(i, wanted.size() - 1))));
            }
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    behind.add(sql.dialect().loaded(rows.getString(1)));
                }
            }
        }
        return behind;
    }
}

package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Takes away the rows of processes that have not been heard of for long, since each process leaves one. */
final class StaleNodeSweep {
    /** A node that lives writes its row anew, should it be gone. */
    private static final Duration MAX_SILENCE = Duration.ofDays(7);

    private final NodeStatements sql;

    StaleNodeSweep(NodeStatements sql) {
        this.sql = sql;
    }

    void sweep(Connection connection) throws SQLException {
        List<String> dead = new ArrayList<>();
        // Locked before they are deleted: nodes that sweep at one moment do not wait for each other.
        try (PreparedStatement select = connection.prepareStatement(sql.lockStale)) {
            select.setLong(1, -MAX_SILENCE.toMillis());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    dead.add(rows.getString(1));
                }
            }
        }
        if (!dead.isEmpty()) {
            try (PreparedStatement delete = connection.prepareStatement(sql.delete)) {
                for (String node : dead) {
                    delete.setString(1, node);
                    delete.addBatch();
                }
                delete.executeBatch();
            }
        }
    }
}

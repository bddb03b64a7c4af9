package dev.cdioutbox.internal.store.node;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Deletes the rows of processes without a heartbeat for a long time. Each crashed process leaves a row. */
public final class StaleNodeSweep {
    /** A living node inserts its row again after a deletion, so an error here is harmless. */
    private static final Duration MAX_SILENCE = Duration.ofDays(7);

    private final NodeStatements sql;

    public StaleNodeSweep(NodeStatements sql) {
        this.sql = sql;
    }

    public void sweep(Connection connection) throws SQLException {
        List<String> dead = new ArrayList<>();
        // Skips rows that another node is deleting, so that concurrent sweeps do not wait for each other.
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

package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxStatus;

/** Reads the state of the backlog, at a cost that does not depend on what was published. */
final class BacklogReader {
    private final String application;
    private final Statements sql;
    private final ControlTable control;

    BacklogReader(String application, Statements sql, ControlTable control) {
        this.application = application;
        this.sql = sql;
        this.control = control;
    }

    OutboxBacklog read(Connection connection) throws SQLException {
        Map<OutboxStatus, Integer> counts = counts(connection);
        try (PreparedStatement select = connection.prepareStatement(sql.backlogOldest)) {
            select.setString(1, application);
            select.setString(2, application);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return new OutboxBacklog(
                        counts.getOrDefault(OutboxStatus.PENDING, 0),
                        counts.getOrDefault(OutboxStatus.FAILED, 0),
                        counts.getOrDefault(OutboxStatus.ABANDONED, 0),
                        sql.dialect().time(row, "oldest"),
                        control.paused(connection),
                        sql.dialect().time(row, "read_at"));
            }
        }
    }

    private Map<OutboxStatus, Integer> counts(Connection connection) throws SQLException {
        Map<OutboxStatus, Integer> counts = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement(sql.backlogCounts)) {
            select.setString(1, application);
            select.setInt(2, OutboxBacklog.CAP);
            select.setString(3, application);
            select.setInt(4, OutboxBacklog.CAP);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    counts.put(OutboxStatus.valueOf(rows.getString(1)), rows.getInt(2));
                }
            }
        }
        return counts;
    }
}

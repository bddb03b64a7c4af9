package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;

import jakarta.json.JsonException;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.problem.Problem;

/** Looks messages up for people. */
final class Finder {
    private static final Logger LOG = Logger.getLogger(Finder.class.getName());

    private final String application;
    private final Statements sql;
    private final MessageRow row;

    Finder(String application, Statements sql) {
        this.application = application;
        this.sql = sql;
        this.row = new MessageRow(sql.dialect());
    }

    List<OutboxMessage> find(Connection connection, OutboxFilter filter, String messageId) throws SQLException {
        Conditions conditions =
                new Conditions(sql.dialect(), application).all(filter).equal("message_id", messageId);
        String query =
                sql.find + conditions + " ORDER BY seq DESC " + sql.dialect().first("?");
        try (PreparedStatement select = connection.prepareStatement(query)) {
            select.setInt(conditions.bind(select), filter.limit());
            return messages(select);
        }
    }

    Long highestShadowed(Connection connection, String destination) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.highestShadowed)) {
            select.setString(1, application);
            select.setString(2, destination);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : null;
            }
        }
    }

    private List<OutboxMessage> messages(PreparedStatement select) throws SQLException {
        List<OutboxMessage> messages = new ArrayList<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                try {
                    messages.add(row.message(rows));
                } catch (IllegalArgumentException | JsonException | ClassCastException undecodable) {
                    // It costs itself, and not the list.
                    LOG.warning(Problem.UNDECODABLE_ROW.text(
                            rows.getString("destination"), rows.getLong("seq"), undecodable.getMessage()));
                }
            }
        }
        return messages;
    }
}

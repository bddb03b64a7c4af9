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
import dev.cdioutbox.OutboxStatus;
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
        StringBuilder statement = new StringBuilder(sql.find);
        List<String> parameters = new ArrayList<>(List.of(application));
        equal(statement, parameters, "message_id", messageId);
        equal(statement, parameters, "event_type", filter.eventType());
        equal(statement, parameters, "message_key", filter.key());
        equal(statement, parameters, "destination", filter.destination());
        if (!filter.statuses().isEmpty()) {
            statement
                    .append(" AND status IN (")
                    .append("?, ".repeat(filter.statuses().size() - 1))
                    .append("?)");
            filter.statuses().stream().map(OutboxStatus::name).forEach(parameters::add);
        }
        statement.append(" ORDER BY seq DESC ").append(sql.dialect().first("?"));
        try (PreparedStatement select = connection.prepareStatement(statement.toString())) {
            for (int i = 0; i < parameters.size(); i++) {
                select.setString(i + 1, parameters.get(i));
            }
            select.setInt(parameters.size() + 1, filter.limit());
            return messages(select);
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
                    LOG.warning(Problem.UNDECODABLE_ROW.text(rows.getLong("seq"), undecodable.getMessage()));
                }
            }
        }
        return messages;
    }

    private static void equal(StringBuilder statement, List<String> parameters, String column, String value) {
        if (value != null) {
            statement.append(" AND ").append(column).append(" = ?");
            parameters.add(value);
        }
    }
}

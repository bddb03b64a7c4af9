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
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.internal.problem.Problem;

/** Looks messages up for people. */
final class Finder {
    private static final Logger LOG = Logger.getLogger(Finder.class.getName());

    private final String application;
    private final FinderStatements sql;
    private final Dialect dialect;
    private final MessageRow row;
    private final Walk walk;

    Finder(String application, FinderStatements sql, Dialect dialect, Walk walk) {
        this.application = application;
        this.sql = sql;
        this.dialect = dialect;
        this.row = new MessageRow(dialect);
        this.walk = walk;
    }

    List<OutboxMessage> find(Connection connection, OutboxFilter filter, String messageId) throws SQLException {
        return find(
                connection,
                new Conditions(dialect, application).all(filter).equal("message_id", messageId),
                filter.limit());
    }

    private List<OutboxMessage> find(Connection connection, Conditions conditions, int limit) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.find(conditions))) {
            select.setInt(conditions.bind(select), limit);
            return messages(select);
        }
    }

    /** What waits, if it is not too much, by the index of the queues; else down the primary key, so far and no further. */
    OutboxPage page(Connection connection, OutboxFilter filter) throws SQLException {
        if (Conditions.isWaiting(filter) && walk.isFewWaiting(connection)) {
            List<OutboxMessage> messages = find(connection, filter, null);
            return new OutboxPage(messages, messages.size() < filter.limit() ? null : last(messages));
        }
        Walk.Stretch stretch = walk.next(connection, filter);
        Conditions conditions = new Conditions(dialect, application)
                .matching(filter.withBeforeSequence(stretch.below()))
                .from(stretch.from());
        List<OutboxMessage> messages = find(connection, conditions, filter.limit());
        if (messages.size() == filter.limit()) {
            return new OutboxPage(messages, last(messages));
        }
        return new OutboxPage(messages, stretch.isLast() ? null : stretch.from());
    }

    private static Long last(List<OutboxMessage> messages) {
        return messages.get(messages.size() - 1).sequence();
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

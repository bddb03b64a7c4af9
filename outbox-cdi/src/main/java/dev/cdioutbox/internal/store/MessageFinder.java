package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Logger;

import jakarta.json.JsonException;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.internal.problem.Problem;

/** Finds messages for operators. */
final class MessageFinder {
    private static final Logger LOG = Logger.getLogger(MessageFinder.class.getName());

    private final String application;
    private final MessageFinderStatements sql;
    private final Dialect dialect;
    private final MessageRow row;
    private final KeyRangeScan scan;

    MessageFinder(String application, MessageFinderStatements sql, Dialect dialect, KeyRangeScan scan) {
        this.application = application;
        this.sql = sql;
        this.dialect = dialect;
        this.row = new MessageRow(dialect);
        this.scan = scan;
    }

    /** Leaves out unreadable rows, and logs them. */
    List<OutboxMessage> find(Connection connection, OutboxFilter filter, String messageId) throws SQLException {
        boolean waiting = messageId == null && isFewWaiting(connection, filter);
        QueryConditions conditions = new QueryConditions(dialect, application);
        if (waiting) {
            conditions.usingQueueIndex();
        }
        conditions.matchingWithQueues(filter).equal("message_id", messageId);
        return logUnreadable(query(connection, conditions, filter.limit(), true, waiting));
    }

    /** The oldest first. */
    List<OutboxMessage> find(Connection connection, List<Long> sequences) throws SQLException {
        QueryConditions these = new QueryConditions(dialect, application);
        these.in("seq", sequences);
        List<OutboxMessage> messages =
                new ArrayList<>(logUnreadable(query(connection, these, sequences.size(), true, false)));
        Collections.reverse(messages);
        return messages;
    }

    private static List<OutboxMessage> logUnreadable(Found found) {
        found.lines.forEach(LOG::warning);
        return found.messages;
    }

    /**
     * Reads waiting messages by the index of the queues if they are few; else a bounded range of the primary key.
     *
     * @param payloads whether payloads are read
     */
    OutboxPage page(Connection connection, OutboxFilter filter, boolean payloads) throws SQLException {
        if (isFewWaiting(connection, filter)) {
            QueryConditions all =
                    new QueryConditions(dialect, application).usingQueueIndex().matchingWithQueues(filter);
            Found found = query(connection, all, filter.limit(), payloads, true);
            return found.page(found.isFull(filter.limit()) ? found.last : null);
        }
        KeyRangeScan.ScanWindow window = scan.nextWindow(connection, filter);
        QueryConditions conditions = new QueryConditions(dialect, application)
                .matching(filter.withBeforeSequence(window.below()))
                .from(window.from());
        Found found = query(connection, conditions, filter.limit(), payloads, false);
        Long behind = window.isLast() ? null : (Long) window.from();
        return found.page(found.isFull(filter.limit()) ? (Long) found.last : behind);
    }

    private boolean isFewWaiting(Connection connection, OutboxFilter filter) throws SQLException {
        return QueryConditions.isWaiting(filter)
                && !KeyRangeScan.isWithinWindow(filter)
                && scan.isFewWaiting(connection);
    }

    private Found query(Connection connection, QueryConditions conditions, int limit, boolean payloads, boolean waiting)
            throws SQLException {
        String statement = waiting ? sql.findWaiting(conditions, payloads) : sql.find(conditions, payloads);
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            select.setInt(conditions.bind(select), limit);
            Found found = new Found();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    found.add(rows, row);
                }
            }
            return found;
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

    /** An unreadable row neither fails the page nor moves the start of the next one. */
    private static final class Found {
        private final List<OutboxMessage> messages = new ArrayList<>();
        private final Map<Long, String> unreadable = new TreeMap<>();
        private final List<String> lines = new ArrayList<>();
        private long last;

        private void add(ResultSet rows, MessageRow row) throws SQLException {
            last = rows.getLong("seq");
            try {
                messages.add(row.message(rows));
            } catch (IllegalArgumentException | JsonException | ClassCastException undecodable) {
                String problem = String.valueOf(undecodable.getMessage());
                unreadable.put(last, problem);
                lines.add(Problem.UNDECODABLE_ROW.text(rows.getString("destination"), last, problem));
            }
        }

        private boolean isFull(int limit) {
            return messages.size() + unreadable.size() == limit;
        }

        private OutboxPage page(Long next) {
            return new OutboxPage(messages, next, unreadable);
        }
    }
}

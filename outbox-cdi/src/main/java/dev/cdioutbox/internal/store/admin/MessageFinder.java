package dev.cdioutbox.internal.store.admin;

import java.sql.Connection;
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
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageRow;

/** Finds messages for operators. */
public final class MessageFinder {
    private static final Logger LOG = Logger.getLogger(MessageFinder.class.getName());

    private final String application;
    private final MessageFinderStatements sql;
    private final Dialect dialect;
    private final MessageRow row;
    private final KeyRangeScan scan;

    public MessageFinder(String application, MessageFinderStatements sql, Dialect dialect, KeyRangeScan scan) {
        this.application = application;
        this.sql = sql;
        this.dialect = dialect;
        this.row = new MessageRow(dialect);
        this.scan = scan;
    }

    /** All matching messages up to the limit, the newest first. Leaves out unreadable rows, and logs them. */
    public List<OutboxMessage> find(Connection connection, OutboxFilter filter) throws SQLException {
        if (isFewWaiting(connection, filter)) {
            return logUnreadable(waiting(connection, filter, true));
        }
        List<OutboxMessage> messages = new ArrayList<>();
        OutboxFilter rest = scan.withSequenceBounds(connection, filter);
        while (rest != null) {
            Found found = window(connection, rest, true);
            messages.addAll(logUnreadable(found));
            int missing = filter.limit() - messages.size();
            rest = found.next == null || missing == 0
                    ? null
                    : rest.withBeforeSequence(found.next).withLimit(missing);
        }
        return messages;
    }

    /** The message with an id, if the filter matches it. */
    public List<OutboxMessage> find(Connection connection, OutboxFilter filter, String messageId) throws SQLException {
        QueryConditions one =
                QueryConditions.byKey(dialect, application, filter).equal("message_id", messageId);
        return logUnreadable(query(connection, one, 1, true));
    }

    /** These messages, the oldest first. */
    public List<OutboxMessage> find(Connection connection, List<Long> sequences) throws SQLException {
        if (sequences.isEmpty()) {
            return List.of();
        }
        QueryConditions these =
                QueryConditions.byKey(dialect, application, OutboxFilter.all()).in("seq", sequences);
        List<OutboxMessage> messages = new ArrayList<>(logUnreadable(query(connection, these, sequences.size(), true)));
        Collections.reverse(messages);
        return messages;
    }

    private static List<OutboxMessage> logUnreadable(Found found) {
        found.lines.forEach(LOG::warning);
        return found.messages;
    }

    /**
     * Reads waiting messages by the index of the queues if they are few; else one window of the primary key.
     *
     * @param payloads whether to read payloads
     */
    public OutboxPage page(Connection connection, OutboxFilter filter, boolean payloads) throws SQLException {
        Found found = isFewWaiting(connection, filter)
                ? waiting(connection, filter, payloads)
                : window(connection, scan.withSequenceBounds(connection, filter), payloads);
        return new OutboxPage(found.messages, found.next, found.unreadable);
    }

    private boolean isFewWaiting(Connection connection, OutboxFilter filter) throws SQLException {
        return QueryConditions.isWaiting(filter)
                && !KeyRangeScan.isWithinWindow(filter)
                && scan.isFewWaiting(connection);
    }

    private Found waiting(Connection connection, OutboxFilter filter, boolean payloads) throws SQLException {
        QueryConditions conditions = QueryConditions.byQueue(dialect, application, filter);
        return query(connection, conditions, filter.limit(), payloads);
    }

    private Found window(Connection connection, OutboxFilter filter, boolean payloads) throws SQLException {
        Long start = scan.windowStart(connection, filter);
        OutboxFilter window = start == null ? filter : filter.withAfterSequence(start - 1);
        QueryConditions conditions = QueryConditions.byKey(dialect, application, window);
        Found found = query(connection, conditions, filter.limit(), payloads);
        if (found.next == null) {
            found.next = start;
        }
        return found;
    }

    private Found query(Connection connection, QueryConditions conditions, int limit, boolean payloads)
            throws SQLException {
        Found found = new Found();
        conditions
                .statement(connection, sql.find(conditions, payloads), limit)
                .forEach(rows -> found.add(rows, row, limit));
        return found;
    }

    public Long highestShadowed(Connection connection, String destination) throws SQLException {
        return JdbcStatement.of(connection, sql.highestShadowed, application, destination)
                .number();
    }

    /** The rows of a query. An unreadable row neither fails the page nor moves the start of the next one. */
    private static final class Found {
        private final List<OutboxMessage> messages = new ArrayList<>();
        private final Map<Long, String> unreadable = new TreeMap<>();
        private final List<String> lines = new ArrayList<>();
        /** The sequence below which more may follow; null if nothing follows. */
        private Long next;

        private void add(ResultSet rows, MessageRow row, int limit) throws SQLException {
            long sequence = rows.getLong("seq");
            try {
                messages.add(row.message(rows));
            } catch (IllegalArgumentException | JsonException | ClassCastException cause) {
                String problem = String.valueOf(cause.getMessage());
                unreadable.put(sequence, problem);
                lines.add(Problem.UNREADABLE_ROW.text(rows.getString("destination"), sequence, problem));
            }
            if (messages.size() + unreadable.size() == limit) {
                next = sequence;
            }
        }
    }
}

package dev.cdioutbox.internal.store.operate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.DamagedRow;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.MessageRow;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPage;
import dev.cdioutbox.operate.OutboxPage.Unreadable;
import dev.cdioutbox.operate.OutboxPageRequest;

/**
 * Finds messages for operators, without locking them: for lists, and for changes. Reads waiting messages from the queue.
 * There is no index on the others, because it would make each insert slower. So they are read by the primary key, within
 * the times of the filter and in windows of a bounded number of rows; the caller continues where a window ends.
 */
public final class MessageFinder {
    /** In rows: the size of one window, and the largest number of waiting messages that a list reads as a whole. */
    public static final int ROWS = 20_000;

    private static final Logger LOG = Logger.getLogger(MessageFinder.class.getName());

    private static final String FROM_MESSAGES =
            "{message} m LEFT JOIN {queue} q ON q.seq = m.seq LEFT JOIN {delivery} d ON d.seq = m.seq";

    /**
     * By the primary key of the messages, for each row in the order of the queue. Otherwise a planner would begin with the
     * messages, of which nearly all are settled, or read all of them for some rows.
     */
    private static final String FROM_QUEUE =
            "{queue} q JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = q.seq + 0";

    /** OFFSET 0 keeps the planner from a join of its own. */
    private static final String FROM_QUEUE_ON_POSTGRESQL =
            "{queue} q CROSS JOIN LATERAL (SELECT * FROM {message} i WHERE i.seq = q.seq OFFSET 0) m";

    /** Tolerance for rows whose order by sequence differs from the order by time. */
    private static final Duration SLACK = Duration.ofMinutes(1);

    private final Connections connections;
    public final String countWaiting;
    public final String scanWindow;
    private final String windowAfter;
    public final String rowBelow;
    private final String columns;
    private final String columnsOfWaiting;
    private final Sql sql;
    private final String fromMessages;
    private final String fromQueue;
    private final String application;
    private final Dialect dialect;
    private final int windowRows;

    /** @param windowRows the number of rows of a window */
    public MessageFinder(Connections connections, String application, Sql sql, int windowRows) {
        this.connections = connections;
        this.application = application;
        this.dialect = sql.dialect();
        this.windowRows = windowRows;
        this.sql = sql;
        fromMessages = sql.of(FROM_MESSAGES);
        fromQueue = sql.of(dialect == SupportedDatabases.POSTGRESQL ? FROM_QUEUE_ON_POSTGRESQL : FROM_QUEUE);
        columns = MessageRow.selected(dialect);
        columnsOfWaiting = MessageRow.selectedOfWaiting(dialect);
        countWaiting =
                sql.of("SELECT COUNT(*) FROM (SELECT seq FROM {queue} ORDER BY seq FETCH FIRST :limit ROWS ONLY) w");
        scanWindow = sql.of("""
                SELECT MIN(w.seq) AS lowest, COUNT(*) AS looked_at FROM (
                  SELECT seq FROM {message} WHERE seq < :below AND seq > :above ORDER BY seq DESC FETCH FIRST :limit ROWS ONLY) w""");
        windowAfter = sql.of("""
                SELECT MAX(w.seq) AS highest, COUNT(*) AS looked_at FROM (
                  SELECT seq FROM {message} WHERE seq > :after AND seq <= :last ORDER BY seq FETCH FIRST :limit ROWS ONLY) w""");
        rowBelow = sql.of("""
                SELECT seq, {time created_at} AS created_at FROM {message} WHERE seq < :below
                ORDER BY seq DESC FETCH FIRST 1 ROWS ONLY""");
    }

    /**
     * Selects the newest messages that meet conditions; the last parameter is the limit.
     *
     * @param payloads whether to read payloads
     */
    public String newest(QueryConditions conditions, boolean payloads) {
        String all = conditions.isByQueue() ? columnsOfWaiting : columns;
        return select(payloads ? all : MessageRow.withoutPayloads(all), conditions, conditions.sequence() + " DESC");
    }

    /** Selects the lowest sequences that meet conditions; the last parameter is the limit. */
    String candidates(QueryConditions conditions) {
        return select("m.seq", conditions, conditions.sequence());
    }

    /**
     * Counts up to a limit, the last parameter, and returns the highest counted sequence. Counts in the order of an
     * index, so that the database reads no other rows.
     */
    String countCandidates(QueryConditions conditions) {
        String order = conditions.isByQueue() ? "q.seq" : "m.seq DESC";
        return "SELECT COUNT(*), MAX(w.seq) FROM (%s) w".formatted(select("m.seq", conditions, order));
    }

    private String select(String what, QueryConditions conditions, String order) {
        return sql.with("what", what)
                .with("from", conditions.isByQueue() ? fromQueue : fromMessages)
                .with("conditions", conditions)
                .with("order", order)
                .of("SELECT {what} FROM {from} WHERE {conditions} ORDER BY {order} FETCH FIRST :limit ROWS ONLY");
    }

    /** All matching messages up to the limit, the newest first. Leaves out unreadable rows, and logs them. */
    public List<OutboxMessage> find(OutboxFilter filter, OutboxPageRequest request) {
        return looking(connection -> {
            if (isFewWaiting(connection, filter, request)) {
                return logUnreadable(waiting(connection, filter, request, true));
            }
            List<OutboxMessage> messages = new ArrayList<>();
            OutboxPageRequest rest = withinTimes(connection, filter, request);
            while (rest != null) {
                Found found = window(connection, filter, rest, true);
                messages.addAll(logUnreadable(found));
                int missing = request.limit() - messages.size();
                rest = found.next == null || missing == 0
                        ? null
                        : OutboxPageRequest.of(missing).withAfter(rest.after()).withBefore(found.next);
            }
            return messages;
        });
    }

    /** The message with an id; empty if there is none, or if its row is unreadable. */
    public Optional<OutboxMessage> find(String messageId) {
        QueryConditions one = QueryConditions.byKey(dialect, application).equal(MessageColumn.MESSAGE_ID, messageId);
        return looking(connection -> logUnreadable(query(connection, one, 1, true))).stream()
                .findFirst();
    }

    /** These messages, the oldest first. */
    public List<OutboxMessage> find(List<Long> sequences) {
        return looking(connection -> read(connection, sequences));
    }

    /** The same within a transaction. */
    public List<OutboxMessage> read(Connection connection, List<Long> sequences) throws SQLException {
        if (sequences.isEmpty()) {
            return List.of();
        }
        QueryConditions these = QueryConditions.byKey(dialect, application).in(MessageColumn.SEQ, sequences);
        List<OutboxMessage> messages = new ArrayList<>(logUnreadable(query(connection, these, sequences.size(), true)));
        Collections.reverse(messages);
        return messages;
    }

    /** The lowest sequences of some types' messages, up to the limit. */
    public List<Long> oldest(Connection connection, OutboxFilter filter, Set<String> types, OutboxPageRequest range)
            throws SQLException {
        QueryConditions conditions = QueryConditions.byKey(dialect, application)
                .matching(filter, range)
                .in(MessageColumn.EVENT_TYPE, types);
        return conditions
                .statement(connection, candidates(conditions), range.limit())
                .numbers();
    }

    /** The highest sequence of the window after one; the last one if the window reaches it. */
    public long windowEnd(Connection connection, long after, long last) throws SQLException {
        return JdbcStatement.of(connection, windowAfter)
                .set("after", after)
                .set("last", last)
                .set("limit", windowRows)
                .first(found -> found.getInt("looked_at") < windowRows ? last : found.getLong("highest"));
    }

    private <T> T looking(Connections.Work<T> work) {
        return connections.withConnection("looking for messages", work);
    }

    private static List<OutboxMessage> logUnreadable(Found found) {
        found.unreadable.forEach(
                row -> LOG.warning(OutboxCode.UNREADABLE_ROW.text(row.destination(), row.sequence(), row.problem())));
        return found.messages;
    }

    /** A page of messages, the newest first, at a bounded cost. */
    public OutboxPage page(OutboxFilter filter, OutboxPageRequest request) {
        return looking(connection -> page(connection, filter, request, true));
    }

    /** The same with empty payloads, for a list that the console reads repeatedly. */
    public OutboxPage list(OutboxFilter filter, OutboxPageRequest request) {
        return looking(connection -> page(connection, filter, request, false));
    }

    /** Reads waiting messages from the queue if they are few; else one window of the primary key. */
    private OutboxPage page(Connection connection, OutboxFilter filter, OutboxPageRequest request, boolean payloads)
            throws SQLException {
        Found found = isFewWaiting(connection, filter, request)
                ? waiting(connection, filter, request, payloads)
                : window(connection, filter, withinTimes(connection, filter, request), payloads);
        return new Page(found.messages, found.next == null ? null : request.withBefore(found.next), found.unreadable);
    }

    private record Page(List<OutboxMessage> messages, OutboxPageRequest next, List<Unreadable> unreadable)
            implements OutboxPage {

        /** Keeps unmodifiable copies. */
        Page {
            messages = List.copyOf(messages);
            unreadable = List.copyOf(unreadable);
        }
    }

    /** The sequences of the messages to which an operation would apply now: lowest first, up to the limit. */
    public List<Long> candidates(MessageOperation operation, OutboxFilter filter, OutboxPageRequest request) {
        return looking(connection -> {
            QueryConditions conditions = conditions(connection, operation, filter, request);
            return conditions
                    .statement(connection, candidates(conditions), request.limit())
                    .numbers();
        });
    }

    /** The same range, which ends at the newest message of now unless it has an end. */
    public OutboxPageRequest upToNewest(OutboxPageRequest range) {
        return range.before() != null
                ? range
                : looking(connection -> range.withBefore(newest(connection, Long.MAX_VALUE) + 1));
    }

    /**
     * Counts the messages to which an operation would apply now.
     *
     * @param range its limit has no meaning here
     * @param cap the highest count: counting stops there
     */
    public CandidateCount countCandidates(
            MessageOperation operation, OutboxFilter filter, OutboxPageRequest range, int cap) {
        return connections.withConnection("counting messages", connection -> {
            QueryConditions conditions = conditions(connection, operation, filter, range);
            CandidateCount counted = conditions
                    .statement(connection, countCandidates(conditions), cap)
                    .first(found -> new CandidateCount(found.getInt(1), found.getLong(2)));
            if (counted.count() < cap || !conditions.isByQueue()) {
                return counted;
            }
            return new CandidateCount(counted.count(), newest(connection, below(range)));
        });
    }

    /**
     * @param count the number of messages
     * @param last the highest sequence among them, or in the table if counting stopped; zero if there are none
     */
    public record CandidateCount(int count, long last) {}

    private QueryConditions conditions(
            Connection connection, MessageOperation operation, OutboxFilter filter, OutboxPageRequest range)
            throws SQLException {
        QueryConditions conditions = !operation.isOfSettled() && !isWithinWindow(range)
                ? QueryConditions.byQueue(dialect, application).matching(filter, range)
                : QueryConditions.byKey(dialect, application).matching(filter, withinTimes(connection, filter, range));
        return conditions.statuses(operation.from());
    }

    private boolean isFewWaiting(Connection connection, OutboxFilter filter, OutboxPageRequest range)
            throws SQLException {
        return QueryConditions.isWaiting(filter)
                && !isWithinWindow(range)
                && JdbcStatement.of(connection, countWaiting)
                                .set("limit", windowRows + 1)
                                .number()
                        <= windowRows;
    }

    /** Whether a range spans no more sequences than a window. */
    private static boolean isWithinWindow(OutboxPageRequest range) {
        return range.after() != null && range.before() != null && range.before() - range.after() <= ROWS;
    }

    private Found waiting(Connection connection, OutboxFilter filter, OutboxPageRequest request, boolean payloads)
            throws SQLException {
        QueryConditions conditions =
                QueryConditions.byQueue(dialect, application).matching(filter, request);
        return query(connection, conditions, request.limit(), payloads);
    }

    /** Reads the window of rows below the upper bound. */
    private Found window(Connection connection, OutboxFilter filter, OutboxPageRequest request, boolean payloads)
            throws SQLException {
        // Null if the window reaches the lower bound.
        Long start = JdbcStatement.of(connection, scanWindow)
                .set("below", below(request))
                .set("above", above(request))
                .set("limit", windowRows)
                .first(found -> found.getInt("looked_at") < windowRows ? null : (Long) found.getLong("lowest"));
        OutboxPageRequest window = start == null ? request : request.withAfter(start - 1);
        QueryConditions conditions = QueryConditions.byKey(dialect, application).matching(filter, window);
        Found found = query(connection, conditions, request.limit(), payloads);
        if (found.next == null) {
            found.next = start;
        }
        return found;
    }

    private Found query(Connection connection, QueryConditions conditions, int limit, boolean payloads)
            throws SQLException {
        Found found = new Found();
        conditions
                .statement(connection, newest(conditions, payloads), limit)
                .forEach(rows -> found.add(rows, dialect, limit, conditions.isByQueue()));
        return found;
    }

    /** Narrows a range of sequences by the filter's times: the order of the sequences is nearly that of the times. */
    public OutboxPageRequest withinTimes(Connection connection, OutboxFilter filter, OutboxPageRequest range)
            throws SQLException {
        OutboxPageRequest bounded = range;
        if (filter.createdBefore() != null) {
            bounded = bounded.withBefore(
                    firstFrom(connection, filter.createdBefore().plus(SLACK), below(range)));
        }
        if (filter.createdFrom() != null) {
            long first = firstFrom(connection, filter.createdFrom().minus(SLACK), below(bounded));
            bounded = bounded.withAfter(Math.max(first - 1, above(range)));
        }
        return bounded;
    }

    private static long below(OutboxPageRequest range) {
        return range.before() == null ? Long.MAX_VALUE : range.before();
    }

    private static long above(OutboxPageRequest range) {
        return range.after() == null ? Long.MIN_VALUE : range.after();
    }

    /** Finds, by bisection, the lowest sequence from which on rows are not older. */
    private long firstFrom(Connection connection, Instant time, long below) throws SQLException {
        long low = 0;
        NumberedRow newest = rowBelow(connection, below);
        if (newest == null || newest.createdAt().isBefore(time)) {
            return below;
        }
        long high = newest.sequence();
        while (low < high) {
            long middle = low + (high - low) / 2;
            NumberedRow found = rowBelow(connection, middle + 1);
            if (found == null || found.createdAt().isBefore(time)) {
                low = middle + 1;
            } else {
                high = found.sequence();
            }
        }
        return high;
    }

    /** Zero if there is none. */
    private long newest(Connection connection, long below) throws SQLException {
        NumberedRow row = rowBelow(connection, below);
        return row == null ? 0 : row.sequence();
    }

    private NumberedRow rowBelow(Connection connection, long sequence) throws SQLException {
        return JdbcStatement.of(connection, rowBelow)
                .set("below", sequence)
                .first(found -> new NumberedRow(found.getLong("seq"), dialect.time(found, "created_at")));
    }

    private record NumberedRow(long sequence, Instant createdAt) {}

    /** The rows of a query. An unreadable row neither fails the page nor moves the start of the next one. */
    private static final class Found {
        private final List<OutboxMessage> messages = new ArrayList<>();
        private final List<Unreadable> unreadable = new ArrayList<>();
        /** The sequence below which more may follow; null if nothing follows. */
        private Long next;

        private void add(ResultSet rows, Dialect dialect, int limit, boolean waiting) throws SQLException {
            MessageRow row = new MessageRow(rows, dialect);
            try {
                messages.add(waiting ? row.waiting() : row.message());
            } catch (RuntimeException | SQLException cause) {
                if (!DamagedRow.isDamage(cause)) {
                    throw cause;
                }
                unreadable.add(row.unreadable(cause));
            }
            if (messages.size() + unreadable.size() == limit) {
                next = rows.getLong("seq");
            }
        }
    }
}

package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.DamagedRow;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageRow;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.Texts;

/**
 * Reads a page of each of several queues, that is its first rows, with one statement, so that all pages show the same moment.
 * The caller's transaction must plan by index, as after {@link Reservation#reserve}: where the statistics are old, PostgreSQL
 * would read whole tables. Thread-safe.
 */
final class PageReader {
    /** A page of one queue. {@code key_blocked} does not use EXISTS, which would read the whole table of blocked keys. */
    private static final String PAGE = """
            SELECT {columns}, q.queue_id, q.unfinished_sends,
              CASE WHEN q.status = {PENDING} OR q.status = {FAILED} AND q.available_at IS NULL
                OR q.available_at <= {now} THEN 1 ELSE 0 END AS due, {perhaps locked} AS perhaps_locked,
              CASE WHEN m.not_before IS NULL AND (SELECT 1 FROM {blocked_key} g WHERE g.partition_id = q.queue_id
                AND g.message_key = m.message_key FETCH FIRST 1 ROWS ONLY) IS NOT NULL THEN 1 ELSE 0 END AS key_blocked
            FROM {queue} q /*! FORCE INDEX ({index}queue_order) */ LEFT JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = q.seq
            WHERE {in queue}{of other keys} ORDER BY q.queue_id, q.seq FETCH FIRST {size} ROWS ONLY""";

    /**
     * The pages of several queues on PostgreSQL. A row of VALUES is a queue and the sequence after which to read it.
     *
     * <ul>
     *   <li>A join, because PostgreSQL plans a union anew at each execution, which takes as long as the execution. OFFSET 0
     *       hides the values, for which it would also plan anew with a single queue.
     *   <li>{@code in queue} is a range and no equality: if most messages wait in one queue, the planner expects each queue to
     *       have many. With an equality it then reads the table, or its primary key, from the beginning, and finds nothing in
     *       an empty queue. With a range only the index of the queues gives the order. The comparison of rows lets its scan
     *       begin at the sequence.
     *   <li>{@code perhaps locked} looks at xmax, the last transaction that changed or locked this version of the row; 0
     *       spares the row a lock probe. pg_prepared_xacts would miss a branch that is being prepared.
     * </ul>
     */
    private static final String PAGES_ON_POSTGRESQL = """
            SELECT r.* FROM (VALUES {queues} OFFSET 0) AS w (queue, start) CROSS JOIN LATERAL ({page}) r""";

    private static final String OF_OTHER_KEYS = " AND (m.message_key IS NULL OR m.message_key NOT IN (%s))";

    /** So many parameters fit into a statement of each database. Further keys are left out by the {@link Batch}. */
    private static final int MOST_KEYS = 500;

    /** In rows: a batch of 500 small messages takes seven fetches, each of which is a round trip. */
    private static final int MOST_FETCHED = 100;

    /** In rows: while no size is known, at most so many large ones are loaded. */
    static final int FIRST_FETCH = 8;

    private static final int FETCH_GROWTH = 4;

    private final Dialect dialect;
    private final Sql sql;
    /** By the number of queues, the size of a page and the number of keys that are left out. */
    private final Texts<List<Integer>> texts =
            new Texts<>(shape -> statement(shape.get(0), shape.get(1), shape.get(2)));

    PageReader(Sql tables) {
        dialect = tables.dialect();
        sql = tables.with("columns", MessageRow.selectedOfWaiting(dialect));
    }

    /** The statement for so many queues. The page size is no parameter, because a plan must not depend on its value. */
    String statement(int queues, int pageSize) {
        return statement(queues, pageSize, 0);
    }

    /** @param keys how many keys to leave out; if there are any, of a single queue */
    private String statement(int queues, int pageSize, int keys) {
        String ofOtherKeys = keys == 0 ? "" : OF_OTHER_KEYS.formatted(JdbcStatement.placeholders(keys));
        Sql sized = sql.with("size", pageSize).with("of other keys", ofOtherKeys);
        return dialect == SupportedDatabases.POSTGRESQL ? join(sized, queues) : union(sized, queues);
    }

    private static String join(Sql sized, int queues) {
        List<String> starts = Collections.nCopies(queues, "(CAST(? AS BIGINT), CAST(? AS BIGINT))");
        return sized.with("queues", String.join(", ", starts))
                .with("in queue", "(q.queue_id, q.seq) > (w.queue, w.start) AND q.queue_id <= w.queue")
                .with("perhaps locked", "CASE WHEN q.xmax = 0 THEN 0 ELSE 1 END")
                .with("page", PAGE)
                .of(PAGES_ON_POSTGRESQL);
    }

    private String union(Sql sized, int queues) {
        String page = sized.with("in queue", "q.queue_id = ? AND q.seq > ?")
                .with("perhaps locked", 1)
                .of(PAGE);
        // Oracle and SQL Server refuse an order within the parentheses of a union.
        String part = SupportedDatabases.isTested(dialect) ? "(" + page + ")" : "SELECT * FROM (" + page + ") part";
        return String.join(" UNION ALL ", Collections.nCopies(queues, part));
    }

    /**
     * Reads the first rows of each queue, queue by queue.
     *
     * @param room how many bytes the receiver can take
     * @param receiver returns whether it wants another row
     * @return the database's clock; null if there was no row
     */
    DatabaseClock read(
            Connection connection,
            String destination,
            List<Queue> queues,
            int pageSize,
            long room,
            Predicate<Row> receiver)
            throws SQLException {
        return read(connection, destination, queues, pageSize, List.of(), room, receiver);
    }

    /**
     * Reads the page that a queue has begun, without the messages of some keys. However many of these come first, their payloads are
     * not read.
     *
     * @param keys at least one
     */
    void readOtherKeys(
            Connection connection,
            String destination,
            Queue queue,
            Set<String> keys,
            long room,
            Predicate<Row> receiver)
            throws SQLException {
        List<String> leftOut =
                JdbcStatement.padded(keys.stream().limit(MOST_KEYS).toList());
        read(connection, destination, List.of(queue), queue.pageSize(), leftOut, room, receiver);
    }

    private DatabaseClock read(
            Connection connection,
            String destination,
            List<Queue> queues,
            int pageSize,
            List<String> keys,
            long room,
            Predicate<Row> receiver)
            throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement(texts.of(List.of(queues.size(), pageSize, keys.size())))) {
            int parameter = 0;
            for (Queue queue : queues) {
                select.setLong(++parameter, queue.id());
                select.setLong(++parameter, queue.after());
            }
            for (String key : keys) {
                select.setString(++parameter, dialect.encodeText(key));
            }
            // Without a fetch size, drivers load a whole page of payloads before their sizes are known.
            select.setFetchSize(FIRST_FETCH);
            try (ResultSet rows = select.executeQuery()) {
                if (!rows.next()) {
                    return null;
                }
                DatabaseClock clock = DatabaseClock.at(new MessageRow(rows, dialect).readAt());
                pass(rows, destination, queues, room, receiver);
                return clock;
            }
        }
    }

    /** Passes on the current row and those behind it, until the receiver wants no more. */
    private void pass(ResultSet rows, String destination, List<Queue> queues, long room, Predicate<Row> receiver)
            throws SQLException {
        Map<Long, Queue> byId = new HashMap<>();
        queues.forEach(queue -> byId.put(queue.id(), queue));
        int seen = 0;
        int largest = 1;
        boolean wantsMore;
        do {
            Row row = Row.read(rows, dialect, destination, byId.get(rows.getLong("queue_id")));
            row.queue().requireOrder(destination, row.sequence());
            seen++;
            largest = Math.max(largest, loaded(rows, row));
            rows.setFetchSize(fetchSize(seen, largest, room));
            wantsMore = receiver.test(row);
        } while (wantsMore && rows.next());
    }

    /** In bytes. The driver has loaded the payload of an unreadable row as well. */
    private static int loaded(ResultSet rows, Row row) throws SQLException {
        return row.isReadable() ? row.bytes() : DamagedRow.number(rows, "payload_bytes");
    }

    /**
     * The fetch size behind some rows: it grows fourfold, and a driver loads no more payloads than fit into a batch if the next
     * ones are as large as the largest so far.
     *
     * @param largest in bytes
     * @param room the limit of a batch in bytes
     */
    static int fetchSize(int seen, int largest, long room) {
        long fits = Math.max(1, Math.min(MOST_FETCHED, room / largest));
        return (int) Math.min(fits, Math.max(FIRST_FETCH, FETCH_GROWTH * Integer.highestOneBit(seen)));
    }
}

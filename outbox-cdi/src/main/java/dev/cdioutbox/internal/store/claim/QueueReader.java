package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.Claim.Unreadable;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Reads the first rows of several queues with one statement, so that all of them show the same moment, and checks their
 * order. Thread-safe.
 */
final class QueueReader {
    private final Dialect dialect;
    /** Without the conditions and limits, which {@link #statement} adds. */
    private final String read;

    QueueReader(Sql sql) {
        dialect = sql.dialect();
        read = sql.with("columns", MessageColumn.selectedWaiting(dialect))
                .with("perhaps locked", dialect.perhapsLocked("q"))
                .of("""
                SELECT {columns}, q.queue_id, q.unfinished_sends,
                  CASE WHEN q.status = {PENDING} OR q.status = {FAILED} AND q.available_at IS NULL
                    OR q.available_at <= {now} THEN 1 ELSE 0 END AS due, {perhaps locked} AS perhaps_locked,
                  CASE WHEN m.not_before IS NULL AND (SELECT 1 FROM {blocked_key} g WHERE g.partition_id = q.queue_id
                    AND g.message_key = m.message_key {any 1}) IS NOT NULL THEN 1 ELSE 0 END AS key_blocked
                FROM {queue q by queue_order} {join message} WHERE""");
    }

    String statement(int queues, int pageSize) {
        return dialect.readQueues(read, queues, pageSize);
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
            List<ClaimedQueue> queues,
            int pageSize,
            long room,
            Predicate<QueueRow> receiver)
            throws SQLException {
        Map<Long, ClaimedQueue> byId = queues.stream().collect(Collectors.toMap(ClaimedQueue::id, Function.identity()));
        Map<ClaimedQueue, Long> last = new HashMap<>();
        DatabaseClock clock = null;
        try (PreparedStatement select = connection.prepareStatement(statement(queues.size(), pageSize))) {
            int parameter = 0;
            for (ClaimedQueue queue : queues) {
                select.setLong(++parameter, queue.id());
                select.setLong(++parameter, queue.after());
            }
            // Without a fetch size, drivers load a whole page of payloads before their sizes are known.
            FetchSize fetchSize = new FetchSize(room);
            fetchSize.begin(select);
            try (ResultSet rows = select.executeQuery()) {
                boolean wantsMore = true;
                while (wantsMore && rows.next()) {
                    clock = clock == null ? DatabaseClock.at(MessageColumn.readAt(rows, dialect)) : clock;
                    QueueRow row = row(rows, destination, byId.get(rows.getLong("queue_id")));
                    requireOrder(destination, last, row.queue(), row.sequence());
                    fetchSize.next(rows, Math.max(row.bytes(), rows.getInt("payload_bytes")));
                    wantsMore = receiver.test(row);
                }
            }
        }
        return clock;
    }

    private QueueRow row(ResultSet rows, String destination, ClaimedQueue queue) throws SQLException {
        OutboxMessage message = null;
        String problem = misplaced(rows, destination, queue);
        if (problem == null) {
            try {
                message = MessageColumn.waiting(rows, dialect);
            } catch (RuntimeException | SQLDataException unreadable) {
                // Otherwise one unreadable row would fail each claim of its partition.
                problem = String.valueOf(unreadable.getMessage());
            }
        }
        long sequence = rows.getLong("seq");
        return new QueueRow(
                queue,
                sequence,
                // A delayed message has left its key's order.
                rows.getString("not_before") == null ? dialect.decodeText(rows.getString("message_key")) : null,
                rows.getInt("key_blocked") == 1,
                rows.getInt("due") == 1,
                rows.getInt("perhaps_locked") == 1,
                rows.getInt("unfinished_sends"),
                message,
                message == null ? new Unreadable(sequence, rows.getInt("attempts"), problem) : null);
    }

    /** Why sending the row from this queue would be wrong; null if it is right. */
    private static String misplaced(ResultSet rows, String destination, ClaimedQueue queue) throws SQLException {
        String ofRow = rows.getString("destination");
        if (destination.equals(ofRow)) {
            return null;
        }
        long sequence = rows.getLong("seq");
        return ofRow == null
                ? OutboxCode.MESSAGE_MISSING.text(destination, sequence)
                : OutboxCode.MESSAGE_MISPLACED.text(destination, sequence, ofRow, queue.id());
    }

    /**
     * Checks that the rows of a queue come in the order of their sequence, on which the order of a batch rests. SQL
     * does not promise it, because the ORDER BY of the statement is in each part of a union and not around it.
     *
     * @param last the last sequence of each queue
     * @throws dev.cdioutbox.OutboxException OBX-0326 if the row comes after a later one of its queue
     */
    static void requireOrder(String destination, Map<ClaimedQueue, Long> last, ClaimedQueue queue, long sequence) {
        long before = last.getOrDefault(queue, queue.after());
        if (sequence <= before) {
            throw OutboxCode.ROWS_OUT_OF_ORDER.exception(destination, sequence, before, queue.id());
        }
        last.put(queue, sequence);
    }
}

package dev.cdioutbox.internal.store.claim;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.DamagedRow;
import dev.cdioutbox.internal.store.sql.MessageRow;

/**
 * A row that a claim has read from a queue.
 *
 * @param key the ordering key; null without one, and for a delayed message, which has left its key's order
 * @param keyBlocked whether the row is in the partition although its key is blocked
 * @param due whether the message may be sent now
 * @param perhapsLocked whether another transaction may have locked or settled the row
 * @param unfinishedSends how often a send of the message was begun and did not end, since the process crashed; 0 for an
 *     unreadable row
 * @param message null if the row is unreadable
 * @param unreadable null if the row is readable
 */
record Row(
        Queue queue,
        long sequence,
        String key,
        boolean keyBlocked,
        boolean due,
        boolean perhapsLocked,
        int unfinishedSends,
        OutboxMessage message,
        UnreadableRow unreadable) {

    /** Reads the current row of a {@link PageReader}. One that cannot be sent from this queue is unreadable. */
    static Row read(ResultSet row, Dialect dialect, String destination, Queue queue) throws SQLException {
        try {
            requireDestination(row, destination, queue);
            return readable(row, queue, undamaged(new MessageRow(row, dialect).waiting()));
        } catch (RuntimeException | SQLException e) {
            if (DamagedRow.isDamage(e)) {
                // Otherwise one unreadable row would fail each claim of its partition.
                return unreadable(row, dialect, queue, String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }

    /** Refuses a row that it would be wrong to send from this queue. */
    private static void requireDestination(ResultSet row, String destination, Queue queue) throws SQLException {
        String ofRow = row.getString("destination");
        if (ofRow == null) {
            throw OutboxCode.MESSAGE_MISSING.exception(destination, row.getLong("seq"));
        }
        if (!destination.equals(ofRow)) {
            throw OutboxCode.MESSAGE_MISPLACED.exception(destination, row.getLong("seq"), ofRow, queue.id());
        }
    }

    /** Nobody may get a payload that a driver, a character set or a script has changed since the capture. */
    private static OutboxMessage undamaged(OutboxMessage message) {
        OutboxMessage.Body body = message.body();
        int bytes = body.payload().size();
        if (bytes != body.bytes()) {
            throw new IllegalArgumentException(
                    "its payload has " + bytes + " bytes, and " + body.bytes() + " were stored");
        }
        return message;
    }

    private static Row readable(ResultSet row, Queue queue, OutboxMessage message) throws SQLException {
        boolean isDelayed = message.terms().notBefore() != null;
        String key = isDelayed ? null : message.event().key();
        return of(row, queue, key, row.getInt("unfinished_sends"), message, null);
    }

    /** With its key, so that its followers wait. It is not sent, so nobody asks for its unfinished sends. */
    private static Row unreadable(ResultSet row, Dialect dialect, Queue queue, String problem) throws SQLException {
        boolean isDelayed = DamagedRow.text(row, "not_before") != null;
        String key = isDelayed ? null : dialect.decodeText(DamagedRow.text(row, "message_key"));
        int attempts = DamagedRow.number(row, "attempts");
        return of(row, queue, key, 0, null, new UnreadableRow(row.getLong("seq"), attempts, problem));
    }

    /** With what the statement has searched and computed, which no damage reaches. */
    private static Row of(
            ResultSet row,
            Queue queue,
            String key,
            int unfinishedSends,
            OutboxMessage message,
            UnreadableRow unreadable)
            throws SQLException {
        return new Row(
                queue,
                row.getLong("seq"),
                key,
                row.getInt("key_blocked") == 1,
                row.getInt("due") == 1,
                row.getInt("perhaps_locked") == 1,
                unfinishedSends,
                message,
                unreadable);
    }

    long partition() {
        return queue.partition();
    }

    boolean isReadable() {
        return message != null;
    }

    /** Whether the message waits for a retry, and has at least so many attempts; false for an unreadable row. */
    boolean hasFailed(int attempts) {
        return message != null
                && message.delivery().status() == OutboxStatus.FAILED
                && message.delivery().attempts() >= attempts;
    }

    /** The size in a batch: the payload and the characters of the headers; 0 for an unreadable row. */
    int bytes() {
        if (message == null) {
            return 0;
        }
        int bytes = message.body().bytes();
        for (Map.Entry<String, String> header : message.context().headers().entrySet()) {
            bytes += header.getKey().length() + header.getValue().length();
        }
        return bytes;
    }
}

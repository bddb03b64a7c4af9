package dev.cdioutbox.internal.store.claim;

import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.MessageColumn;

/**
 * A row that a claim has read from a queue.
 *
 * @param key the ordering key; null without one, and for a delayed message, which has left its key's order
 * @param keyBlocked whether the row is in the partition although its key is blocked
 * @param due whether the message may be sent now
 * @param perhapsLocked whether another transaction may have locked or settled the row
 * @param unfinishedSends how often a send of the message was begun and did not end, since the process crashed
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
        OutboxMessage message = null;
        String problem = misplaced(row, destination, queue);
        if (problem == null) {
            try {
                message = undamaged(MessageColumn.waiting(row, dialect));
            } catch (RuntimeException | SQLDataException unreadable) {
                // Otherwise one unreadable row would fail each claim of its partition.
                problem = String.valueOf(unreadable.getMessage());
            }
        }
        long sequence = row.getLong("seq");
        boolean isDelayed = row.getString("not_before") != null;
        return new Row(
                queue,
                sequence,
                isDelayed ? null : dialect.decodeText(row.getString("message_key")),
                row.getInt("key_blocked") == 1,
                row.getInt("due") == 1,
                row.getInt("perhaps_locked") == 1,
                row.getInt("unfinished_sends"),
                message,
                message == null ? new UnreadableRow(sequence, row.getInt("attempts"), problem) : null);
    }

    /** Why sending the row from this queue would be wrong; null if it is right. */
    private static String misplaced(ResultSet row, String destination, Queue queue) throws SQLException {
        String ofRow = row.getString("destination");
        if (destination.equals(ofRow)) {
            return null;
        }
        long sequence = row.getLong("seq");
        return ofRow == null
                ? OutboxCode.MESSAGE_MISSING.text(destination, sequence)
                : OutboxCode.MESSAGE_MISPLACED.text(destination, sequence, ofRow, queue.id());
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

package dev.cdioutbox.internal.store.claim;

import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;

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

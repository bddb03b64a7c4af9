package dev.cdioutbox.operate;

import java.util.List;

import dev.cdioutbox.OutboxMessage;

/**
 * A page of messages, with the start of the next one. The query for a page reads a bounded number of rows. So a page
 * may be short or empty although more messages follow. Immutable.
 *
 * @param messages the newest first; not null
 * @param next the argument of {@link OutboxFilter#withBeforeSequence} for the next page, whose sequences are below it;
 *     null on the last page
 * @param unreadable the unreadable rows on this page, the newest first: rows changed by hand, or written by a newer
 *     version; not null
 */
public record OutboxPage(List<OutboxMessage> messages, Long next, List<Unreadable> unreadable) {

    /** Keeps unmodifiable copies. */
    public OutboxPage {
        messages = List.copyOf(messages);
        unreadable = List.copyOf(unreadable);
    }

    /** {@return whether this is the last page} */
    public boolean isLast() {
        return next == null;
    }

    /**
     * What the outbox can tell of a row that it cannot read as a message. The texts are as they are stored. {@link
     * OutboxFilter#withSequence} selects the row for an operation.
     *
     * @param sequence the row's {@code seq}
     * @param id the message's id; not null
     * @param status the status; not null
     * @param type the event type; not null
     * @param key the key, or null
     * @param destination the logical name of the destination; not null
     * @param problem the reason why the row cannot be read; not null
     */
    public record Unreadable(
            long sequence, String id, String status, String type, String key, String destination, String problem) {}
}

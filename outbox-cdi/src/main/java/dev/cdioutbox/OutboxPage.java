package dev.cdioutbox;

import java.util.List;
import java.util.Map;

/**
 * A page of messages, with the start of the next one. The query for a page reads a bounded number of rows. So a page
 * may be short or empty although more messages follow. Immutable.
 *
 * @param messages the newest first; not null
 * @param next the argument of {@link OutboxFilter#withBeforeSequence} for the next page, whose sequences are below it;
 *     null on the last page
 * @param unreadable the problems of unreadable rows on this page, by sequence: rows changed by hand, or written by a
 *     newer version; not null
 */
public record OutboxPage(List<OutboxMessage> messages, Long next, Map<Long, String> unreadable) {

    /** Keeps unmodifiable copies. */
    public OutboxPage {
        messages = List.copyOf(messages);
        unreadable = Map.copyOf(unreadable);
    }

    /** {@return whether this is the last page} */
    public boolean isLast() {
        return next == null;
    }
}

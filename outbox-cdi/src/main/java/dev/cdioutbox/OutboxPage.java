package dev.cdioutbox;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A page of messages, and where the next one begins. A page looks at a bounded number of messages, so it may hold fewer than
 * were asked for, or none, although more follow.
 *
 * @param messages the newest first; not null
 * @param next what the next page begins below, for {@link OutboxFilter#withBeforeSequence}: everything with this sequence or a
 *     higher one was looked at; null if nothing more follows
 * @param unreadable what is wrong with rows that belong on this page and cannot be read, by sequence: they were changed by hand, or written by a newer version; not null
 */
public record OutboxPage(List<OutboxMessage> messages, Long next, Map<Long, String> unreadable) {

    /** Keeps unmodifiable copies. */
    public OutboxPage {
        messages = List.copyOf(Objects.requireNonNull(messages, "messages"));
        unreadable = Map.copyOf(Objects.requireNonNull(unreadable, "unreadable"));
    }

    /** {@return whether nothing more follows} */
    public boolean isLast() {
        return next == null;
    }
}

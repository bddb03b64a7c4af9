package dev.cdioutbox;

import java.util.List;
import java.util.Objects;

/**
 * A page of messages, and where the next one begins. A page looks at a bounded number of messages, so it may hold fewer than
 * were asked for, or none, although more follow.
 *
 * @param messages the newest first; not null
 * @param next what the next page begins below, for {@link OutboxFilter#withBeforeSequence}: everything with this sequence or a
 *     higher one was looked at; null if nothing more follows
 */
public record OutboxPage(List<OutboxMessage> messages, Long next) {

    /** Keeps an unmodifiable copy of the messages. */
    public OutboxPage {
        messages = List.copyOf(Objects.requireNonNull(messages, "messages"));
    }

    /** {@return whether nothing more follows} */
    public boolean isLast() {
        return next == null;
    }
}

package dev.cdioutbox.operate;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import org.jspecify.annotations.Nullable;

/**
 * A page of messages, as {@link OutboxOperations#page} reads it. The query reads a bounded number of rows, so a page may
 * be short or empty although more messages follow. {@link OutboxPageRequest} shows how to read all pages. Immutable.
 */
public interface OutboxPage {

    /** {@return the messages, the newest first; not null, unmodifiable} */
    List<OutboxMessage> messages();

    /** {@return the request for the next page; null on the last page} */
    @Nullable
    OutboxPageRequest next();

    /**
     * {@return the unreadable rows on this page, the newest first: rows changed by hand, or written by a newer version;
     * not null, unmodifiable}
     */
    List<Unreadable> unreadable();

    /** What the outbox can tell of a row that it cannot read as a message. The texts are as they are stored. */
    interface Unreadable {

        /** {@return the row's {@code seq}, by which {@link OutboxPageRequest#ofSequence} selects it} */
        long sequence();

        /** {@return the message's id; not null} */
        String id();

        /** {@return the status; not null} */
        String status();

        /** {@return the event type; not null} */
        String type();

        /** {@return the key, or null} */
        @Nullable
        String key();

        /** {@return the logical name of the destination; not null} */
        String destination();

        /** {@return the reason why the row cannot be read; not null} */
        String problem();
    }
}

package dev.cdioutbox.internal.dispatch;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;

/** A batch was rolled back, since the destination is full and rejected every message. */
final class DestinationFullException extends PublishException {
    private static final long serialVersionUID = 1L;

    private final transient List<OutboxMessage> messages;
    private final transient OutboxMessage next;

    /**
     * @param messages those that were tried
     * @param next the first one that was not come to, or null
     */
    DestinationFullException(List<OutboxMessage> messages, OutboxMessage next, PublishException why) {
        super(Blame.DESTINATION_FULL, why.getMessage(), why);
        this.messages = List.copyOf(messages);
        this.next = next;
    }

    List<OutboxMessage> messages() {
        return messages;
    }

    OutboxMessage next() {
        return next;
    }

    /** The one behind a failure, or null. */
    static DestinationFullException behind(Throwable failure) {
        for (Throwable link = failure; link != null; link = link.getCause()) {
            if (link instanceof DestinationFullException refused) {
                return refused;
            }
        }
        return null;
    }
}

package dev.cdioutbox.internal.store.operate;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import dev.cdioutbox.OutboxStatus;

/** An operation on messages, and the statuses that allow it. */
public enum MessageOperation {
    RETRY(OutboxStatus.FAILED, OutboxStatus.ABANDONED),
    DISCARD(OutboxStatus.PENDING, OutboxStatus.FAILED, OutboxStatus.ABANDONED),
    REPLAY(OutboxStatus.PUBLISHED, OutboxStatus.EXPIRED, OutboxStatus.DISCARDED),
    /** Writes copies, and leaves the messages as they are. */
    REPLAY_AS_NEW(OutboxStatus.PUBLISHED, OutboxStatus.EXPIRED, OutboxStatus.DISCARDED),
    /** Discards what waits, and then empties all. */
    ERASE(OutboxStatus.values());

    private final Set<OutboxStatus> from;

    MessageOperation(OutboxStatus... from) {
        this.from = Set.of(from);
    }

    /** The name in the audit, the log and the console's requests. */
    public String action() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The statuses that allow this operation. */
    public Set<OutboxStatus> from() {
        return from;
    }

    /** Whether the messages are settled, and so in no queue. */
    boolean isOfSettled() {
        return from.contains(OutboxStatus.PUBLISHED);
    }

    public static Optional<MessageOperation> of(String action) {
        return Arrays.stream(values())
                .filter(operation -> operation.action().equals(action))
                .findFirst();
    }
}

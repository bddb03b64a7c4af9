package dev.cdioutbox.internal.store.admin;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

import dev.cdioutbox.OutboxStatus;

/** An operation on messages, and the statuses that allow it. */
public enum MessageOperation {
    RETRY("retry", "retried", OutboxStatus.FAILED, OutboxStatus.ABANDONED),
    DISCARD("discard", "discarded", OutboxStatus.PENDING, OutboxStatus.FAILED, OutboxStatus.ABANDONED),
    REPLAY("replay", "replayed", OutboxStatus.PUBLISHED, OutboxStatus.EXPIRED, OutboxStatus.DISCARDED),
    /** Writes copies, and leaves the messages as they are. */
    REPLAY_AS_NEW(
            "replay-as-new", "replayed_as_new", OutboxStatus.PUBLISHED, OutboxStatus.EXPIRED, OutboxStatus.DISCARDED);

    private final String action;
    private final String became;
    private final Set<OutboxStatus> from;

    MessageOperation(String action, String became, OutboxStatus... from) {
        this.action = action;
        this.became = became;
        this.from = Set.of(from);
    }

    /** The name in the audit. */
    public String action() {
        return action;
    }

    /** The result for a message, as the log names it. */
    public String became() {
        return became;
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
                .filter(operation -> operation.action.equals(action))
                .findFirst();
    }
}

package dev.cdioutbox.internal.store;

import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;

/** What operators do to the tables. Thread-safe; each method runs in the caller's JTA transaction. */
public interface Operations {

    /**
     * Changes messages that nobody else holds, the oldest first.
     *
     * @return those that were changed, as they were before
     */
    List<MessageReference> change(Change change, OutboxFilter filter);

    /**
     * Sets or ends the pause of a destination.
     *
     * @return whether that changed anything; null if there is no such destination
     */
    Boolean pause(String destination, boolean paused, String who);

    /** Leaves a row that tells who did what. */
    void audit(String who, String action, String subject, int changed);

    /** What can be done to a message, and in which states. */
    enum Change {
        RETRY(OutboxStatus.FAILED, OutboxStatus.ABANDONED),
        DISCARD(OutboxStatus.PENDING, OutboxStatus.FAILED, OutboxStatus.ABANDONED),
        REPLAY(OutboxStatus.PUBLISHED, OutboxStatus.EXPIRED, OutboxStatus.DISCARDED);

        private final Set<OutboxStatus> from;

        Change(OutboxStatus... from) {
            this.from = Set.of(from);
        }

        /** The states in which a message can be changed like this. */
        public Set<OutboxStatus> from() {
            return from;
        }
    }
}

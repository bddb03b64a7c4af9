package dev.cdioutbox.internal.store;

import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxAuditEntry;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;

/** What operators do to the tables. Thread-safe; each method runs in the caller's JTA transaction. */
public interface OperatorStore {

    /**
     * Changes those of these messages that no other transaction holds, and that can be changed so.
     *
     * @return those that were changed, as they were before
     */
    List<MessageReference> change(Change change, List<Long> sequences);

    /** The oldest that a filter lets through, and no more than its limit. */
    default List<MessageReference> change(Change change, OutboxFilter filter) {
        return change(
                change,
                changeCandidates(change, filter).stream()
                        .map(ChangeCandidate::sequence)
                        .toList());
    }

    /** Of the message with an id, also if that cannot be read; null if there is none. */
    Long sequence(String messageId);

    /** What a change would be tried on at this moment: the lowest first, and no more than the filter's limit. */
    List<ChangeCandidate> changeCandidates(Change change, OutboxFilter filter);

    /**
     * How much a change would be tried on at this moment.
     *
     * @param cap where counting stops
     */
    CandidateCount countCandidates(Change change, OutboxFilter filter, int cap);

    /**
     * Sets or ends the pause of a destination.
     *
     * @return whether that changed anything; null if there is no such destination
     */
    Boolean pause(String destination, boolean paused, String who);

    /**
     * Leaves a row that tells who did what.
     *
     * @param sequences the messages that were changed, if it was messages
     */
    void writeAudit(String who, String action, String subject, int changed, List<Long> sequences);

    /** What was done, the last first. */
    List<OutboxAuditEntry> lastAuditEntries(int most);

    /** What was done to one message, the last first. */
    List<OutboxAuditEntry> history(String messageId, int most);

    /** @param bytes the size of its payload */
    record ChangeCandidate(long sequence, int bytes) {}

    /**
     * @param count how many messages
     * @param last the highest sequence among them, or of all there are if counting stopped; zero if there are none
     */
    record CandidateCount(int count, long last) {}

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

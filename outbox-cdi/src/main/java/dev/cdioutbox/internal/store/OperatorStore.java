package dev.cdioutbox.internal.store;

import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxAuditEntry;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;

/** Operators' changes to the tables. Thread-safe; each method runs in the caller's JTA transaction. */
public interface OperatorStore {

    /** In characters; the store cuts a longer subject of an audit entry. */
    int MAX_SUBJECT_LENGTH = 2000;

    /**
     * Changes the messages among these that are not locked and whose status allows the change.
     *
     * @return the changed messages, with their state before the change
     */
    List<MessageReference> change(Change change, List<Long> sequences);

    /** Changes the oldest messages that match a filter, up to its limit. */
    default List<MessageReference> change(Change change, OutboxFilter filter) {
        return change(
                change,
                changeCandidates(change, filter).stream()
                        .map(ChangeCandidate::sequence)
                        .toList());
    }

    /** The sequence of the message with an id, even if the row is unreadable; null if there is none. */
    Long sequence(String messageId);

    /** The messages to which a change would apply now: lowest sequence first, up to the filter's limit. */
    List<ChangeCandidate> changeCandidates(Change change, OutboxFilter filter);

    /**
     * Counts the messages to which a change would apply now.
     *
     * @param cap the highest count: counting stops there
     */
    CandidateCount countCandidates(Change change, OutboxFilter filter, int cap);

    /**
     * Pauses or resumes a destination.
     *
     * @return whether the call changed the row; null if there is no such destination
     */
    Boolean pause(String destination, boolean paused, String who);

    /**
     * Writes an audit entry.
     *
     * @param sequences the changed messages; empty for a pause or resume
     */
    void writeAudit(String who, String action, String subject, int changed, List<Long> sequences);

    /**
     * Finds the audit entry of an operation in several batches, among the latest entries.
     *
     * @param who the user of the entry
     * @param part a text without {@code %} and {@code _} that only the subject of this entry contains
     * @param most the number of latest entries to search
     * @return the entry; null if there is none
     */
    AuditedOperation findAudit(String who, String action, String part, int most);

    /**
     * Extends an audit entry by one more batch.
     *
     * @param entry the entry as it was found
     * @param subject replaces the subject of the entry
     * @param changed the addition to the count of the entry
     * @param sequences the changed messages; none of them is in the entry yet
     * @throws dev.cdioutbox.OutboxException if another transaction has extended the entry since {@link #findAudit}
     */
    void extendAudit(AuditedOperation entry, String subject, int changed, List<Long> sequences);

    /** The latest entries first. */
    List<OutboxAuditEntry> lastAuditEntries(int most);

    /** The entries of one message, the latest first. */
    List<OutboxAuditEntry> history(String messageId, int most);

    /** An audit entry of an operation that may have further batches. */
    record AuditedOperation(int id, String subject, int changed) {}

    /** @param bytes the size of the message's payload */
    record ChangeCandidate(long sequence, int bytes) {}

    /**
     * @param count the number of messages
     * @param last the highest sequence among them, or in the table if counting stopped; zero if there are none
     */
    record CandidateCount(int count, long last) {}

    /** A change of a message, and the statuses that allow it. */
    enum Change {
        RETRY(OutboxStatus.FAILED, OutboxStatus.ABANDONED),
        DISCARD(OutboxStatus.PENDING, OutboxStatus.FAILED, OutboxStatus.ABANDONED),
        REPLAY(OutboxStatus.PUBLISHED, OutboxStatus.EXPIRED, OutboxStatus.DISCARDED);

        private final Set<OutboxStatus> from;

        Change(OutboxStatus... from) {
            this.from = Set.of(from);
        }

        /** The statuses that allow this change. */
        public Set<OutboxStatus> from() {
            return from;
        }
    }
}

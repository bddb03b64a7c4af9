package dev.cdioutbox.internal.store;

import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxAuditEntry;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;

/** Operators' changes to the tables. Thread-safe; each method runs in the caller's JTA transaction. */
public interface OperatorStore {

    /** In characters; a longer subject of an audit entry is cut. */
    int MAX_SUBJECT_LENGTH = 2000;

    /**
     * Changes those of these messages that are not locked and have a status that allows the change.
     *
     * @return the changed messages, as they were before
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

    /** The messages that a change would apply to now: lowest sequence first, up to the filter's limit. */
    List<ChangeCandidate> changeCandidates(Change change, OutboxFilter filter);

    /**
     * Counts the messages that a change would apply to now.
     *
     * @param cap where counting stops
     */
    CandidateCount countCandidates(Change change, OutboxFilter filter, int cap);

    /**
     * Pauses or resumes a destination.
     *
     * @return whether that changed the row; null if there is no such destination
     */
    Boolean pause(String destination, boolean paused, String who);

    /**
     * Writes an audit entry.
     *
     * @param sequences the changed messages, if messages were changed
     */
    void writeAudit(String who, String action, String subject, int changed, List<Long> sequences);

    /**
     * Finds the audit entry of an operation in several batches, among the latest entries.
     *
     * @param who the user, whose entries only are found
     * @param part a text without {@code %} and {@code _} that only the subject of this entry contains
     * @param most how many of the latest entries are searched
     * @return the entry; null if there is none
     */
    AuditedOperation findAudit(String who, String action, String part, int most);

    /**
     * Locks an audit entry, so that no other transaction extends it.
     *
     * @return false if another transaction has extended it since it was found
     */
    boolean lockAudit(AuditedOperation entry);

    /**
     * Extends an audit entry by one more batch.
     *
     * @param id of the entry, which the transaction has locked
     * @param subject replaces the subject of the entry
     * @param changed is added to the count of the entry
     * @param sequences the changed messages; none is in the entry already
     */
    void extendAudit(int id, String subject, int changed, List<Long> sequences);

    /** The latest entries first. */
    List<OutboxAuditEntry> lastAuditEntries(int most);

    /** The entries of one message, the latest first. */
    List<OutboxAuditEntry> history(String messageId, int most);

    /** An audit entry of an operation that may go on. */
    record AuditedOperation(int id, String subject, int changed) {}

    /** @param bytes the size of its payload */
    record ChangeCandidate(long sequence, int bytes) {}

    /**
     * @param count how many messages
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

        /** The states in which a message can be changed like this. */
        public Set<OutboxStatus> from() {
            return from;
        }
    }
}

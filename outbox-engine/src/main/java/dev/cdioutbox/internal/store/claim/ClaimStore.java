package dev.cdioutbox.internal.store.claim;

import java.time.Duration;
import java.util.Set;

import dev.cdioutbox.internal.store.NewMessage;

/** Claims partitions with their due messages. Thread-safe. */
public interface ClaimStore {

    /** The id of a message's partition, for a destination of this node. */
    long partitionOf(NewMessage message);

    /** For a claim by row locks, which end with its connection. */
    Reservation rowLocks(String destination);

    /**
     * For a claim by lease.
     *
     * @param length the time from a renewal to the end
     */
    Reservation lease(String destination, Duration length);

    /**
     * For a claim of a destination as a whole, of which there is only one at a time.
     *
     * @param owner is told what the claim has found, before it reads the messages
     */
    DestinationReservation wholeDestination(String destination, Owner owner);

    /**
     * Reserves partitions and reads their due messages, on a separate connection that must not belong to a JTA transaction.
     *
     * @param reservation a new one
     * @param afterPartition the last served partition, for a round robin
     * @param probe {@code PendingRows.lockable}, on another connection than that of the claim
     * @throws dev.cdioutbox.OutboxException OBX-0302 if the database fails
     * @throws BatchReadException if the partitions are reserved, and their messages cannot be read
     * @throws Exception what the {@link Owner} has thrown
     */
    Claim claim(Reservation reservation, long afterPartition, ClaimLimits limits, LockProbe probe) throws Exception;

    /**
     * The destinations with messages that could be in a claim if nothing forbade it: also those that are paused, leased or locked.
     * Runs outside of JTA.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0302 if the database fails
     */
    Set<String> waitingDestinations();

    /**
     * Renews the leases of all open claims, each in a separate transaction outside of JTA. The settlement of a batch detects a
     * lease that was lost.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0302 if the database has failed to renew one; the other leases are renewed, and
     *     their failures are suppressed in this one
     */
    void renewLeases();
}

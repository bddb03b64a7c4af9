package dev.cdioutbox.internal.store;

/** The outbox's tables as dispatch uses them: one role for each of its tasks. Thread-safe. */
public interface DispatchStore {

    ClaimStore claims();

    DelayedStore delayed();

    SettlementStore settlements();

    ProbeStore probes();

    NodeStore nodes();

    StatusStore status();

    SweepStore sweeps();

    Inbox inbox();

    /**
     * Checks that the tables exist and have the shape of this version, and that no message waits where no claim looks.
     * Puts rows of partitions and controls back that were deleted. Do not call this in a JTA transaction.
     *
     * @return the problem, or null
     */
    String problem();
}

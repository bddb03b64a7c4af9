package dev.cdioutbox.protocol;

/**
 * How often each fault may still happen; so the number of states is finite.
 *
 * @param counts four bits for each fault
 */
record Faults(int counts) {
    static final Faults NONE = new Faults(0);

    enum Fault {
        /** A node dies, at any moment. */
        DEATH,
        /** A claim is gone while its node goes on: its connection is dead, or its lease ran out. */
        LOST_CLAIM,
        /** A message cannot be sent. */
        FAILED_SEND,
        /** A commit or a recovery does not reach the broker. */
        OUTAGE,
        /** The transaction log is gone. */
        LOST_LOG,
        /** A writer rolls back. */
        ROLLBACK,
        /** An operator discards a message that nobody has locked, whoever has claimed it. */
        DISCARD
    }

    static Faults of(Fault... faults) {
        Faults all = NONE;
        for (Fault fault : faults) {
            all = new Faults(all.counts + one(fault));
        }
        return all;
    }

    int count(Fault fault) {
        return counts >> 4 * fault.ordinal() & 15;
    }

    boolean may(Fault fault) {
        return count(fault) > 0;
    }

    Faults less(Fault fault) {
        return new Faults(counts - one(fault));
    }

    private static int one(Fault fault) {
        return 1 << 4 * fault.ordinal();
    }
}

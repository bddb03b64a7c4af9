package dev.cdioutbox.protocol;

/**
 * How often each fault may still happen, so that the number of states is finite.
 *
 * @param counts four bits for each fault
 */
record Faults(int counts) {
    static final Faults NONE = new Faults(0);

    enum Fault {
        /** A node crashes, at any moment. */
        DEATH,
        /** A node loses its claim and continues: its connection is broken, or its lease expired. */
        LOST_CLAIM,
        /** A message cannot be sent. */
        FAILED_SEND,
        /** The broker cannot be reached at a commit or a recovery. */
        OUTAGE,
        /** The transaction log is lost. */
        LOST_LOG,
        /** A writer rolls back. */
        ROLLBACK,
        /** An operator discards a message that no transaction has locked, even if a node has claimed it. */
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

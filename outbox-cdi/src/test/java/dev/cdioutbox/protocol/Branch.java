package dev.cdioutbox.protocol;

/** How far one resource is with a transaction. */
enum Branch {
    NONE,
    ACTIVE,
    PREPARED,
    COMMITTED;

    /** Whether what the transaction touched is locked. */
    boolean holdsLocks() {
        return this == ACTIVE || this == PREPARED;
    }

    /** A death of the process or of its connection ends what is not prepared. */
    Branch afterDeath() {
        return this == ACTIVE ? NONE : this;
    }
}

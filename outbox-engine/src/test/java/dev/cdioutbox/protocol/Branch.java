package dev.cdioutbox.protocol;

/** The state of a transaction's branch in one resource. */
enum Branch {
    NONE,
    ACTIVE,
    PREPARED,
    COMMITTED;

    /** Whether the branch locks the rows or messages that it changed. */
    boolean holdsLocks() {
        return this == ACTIVE || this == PREPARED;
    }

    /** A crash of the process, or the loss of its connection, ends a branch that is not prepared. */
    Branch afterDeath() {
        return this == ACTIVE ? NONE : this;
    }
}

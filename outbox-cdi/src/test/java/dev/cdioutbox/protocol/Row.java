package dev.cdioutbox.protocol;

/** What the database shows of a message to everybody, whatever a transaction that is still open has done to it. */
enum Row {
    /** Its writer's transaction is open. Its place in the order is given out. */
    UNCOMMITTED,
    ROLLED_BACK,
    DUE,
    /** It failed and its next attempt is not due yet. */
    FAILED,
    PUBLISHED,
    /** An operator decided that it is not sent. */
    DISCARDED,
    /** It was published and then made to wait again: what must never be. */
    REOPENED;

    /** Whether the claim's index meets it: queue_id is not null. */
    boolean waits() {
        return this == DUE || this == FAILED || this == REOPENED;
    }

    boolean isSettled() {
        return this == ROLLED_BACK || this == PUBLISHED || this == DISCARDED;
    }
}

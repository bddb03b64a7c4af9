package dev.cdioutbox.protocol;

/** The state of a message's row for all other transactions: the changes of open transactions do not show. */
enum Row {
    /** Its writer's transaction is open. The sequence is already assigned. */
    UNCOMMITTED,
    ROLLED_BACK,
    DUE,
    /** The message failed, and its next attempt is not due yet. */
    FAILED,
    PUBLISHED,
    /** An operator decided not to send the message. */
    DISCARDED,
    /** The message was published, and then made to wait again. This must never happen. */
    REOPENED;

    /** Whether the row is in the index that a claim reads: its queue_id is not null. */
    boolean waits() {
        return this == DUE || this == FAILED || this == REOPENED;
    }

    boolean isSettled() {
        return this == ROLLED_BACK || this == PUBLISHED || this == DISCARDED;
    }
}

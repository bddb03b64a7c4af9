package dev.cdioutbox.internal.dispatch.delivery;

import dev.cdioutbox.spi.PublishException.Blame;

/** How an {@link Attempt} ended. {@link FailurePolicy} says what follows. */
enum End {
    /** Nothing forbids the commit. After it, the messages that were sent are settled. */
    SENT,
    /** The same, but the destination has no room for more. */
    FULL,
    /** The destination or the database is to blame. */
    FAILED,
    /** An operator discarded messages while they were sent: rolled back. */
    DISCARDED,
    /** The time, or the room at the destination, was not enough: rolled back. It may be for fewer messages. */
    TOO_MANY,
    /** Messages failed, and the broker may have some of them: rolled back. */
    MESSAGES_FAILED,
    /** The commit failed, but not by a rollback: the transaction manager completes it later, and the messages wait. */
    COMMIT_IN_DOUBT,
    /** The same, but the database has committed the settlement. The broker's branch may have any state. */
    COMMITTED_WITHOUT_BROKER,
    /** The commit failed, and the database cannot tell how. */
    COMMIT_UNKNOWN,
    /** The commit failed, and everything is rolled back. Some providers refuse a message only at the commit. */
    COMMIT_REFUSED;

    /** Whether the transaction may commit. */
    boolean mayCommit() {
        return this == SENT || this == FULL;
    }

    /**
     * The end after messages that could not be completed.
     *
     * @param ofMessages the end if messages may be to blame
     */
    static End of(Blame blame, End ofMessages) {
        return switch (blame) {
            case DESTINATION -> FAILED;
            case DESTINATION_FULL -> TOO_MANY;
            case MESSAGE, UNKNOWN -> ofMessages;
        };
    }
}

package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;

import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Decides how a delivery goes on after one of its transactions. A pure function of what the end of the transaction
 * shows.
 *
 * <pre>
 * the transaction   and                               next steps
 * ---------------   -------------------------------   -------------------------
 * SENT                                                none
 * COMMIT_IN_DOUBT                                     none
 * FULL                                                GIVE_UP
 * FAILED                                              GIVE_UP
 * COMMIT_UNKNOWN                                      GIVE_UP
 * DISCARDED                                           AGAIN, REST
 * TOO_MANY          several messages were sent        HALVES
 *                   one or none                       GIVE_UP
 * MESSAGES_FAILED                                     AGAIN, REST
 *                   late                              GIVE_UP
 *                   a suspect                         PROBE, BLAME, AGAIN, REST
 *                   a suspect, late                   PROBE, BLAME, GIVE_UP
 * COMMIT_REFUSED    several messages were sent        PROBE, HALVES
 *                   one, the first or second time     PROBE, AGAIN
 *                   one, the third time               PROBE, BLAME
 *                   none                              GIVE_UP
 * </pre>
 *
 * <p>So no message is charged for a failure that the destination may have caused, unless a probe has succeeded since. And
 * each line makes progress: a message is settled or blamed, the next transaction has fewer messages, or the delivery ends.
 * Only the commit of a single message is tried again as it is, twice. A single message that exceeds the transaction's
 * time-out is not blamed: more likely its destination is full and blocks the send, which no probe would show.
 *
 * <p>A probe shows that the broker answers, and with exactly-once that broker and database commit together. It does not use
 * the destination itself: if only that has a fault, which the exception does not show, messages are charged.
 */
final class FailurePolicy {
    /** A database with SERIALIZABLE, or with too few prepared transactions, refuses commits at random. */
    private static final int REFUSED_COMMITS = 3;

    private FailurePolicy() {}

    /** How the sends of a transaction ended and, if they may be committed, its settlement and commit. */
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
        /** The commit failed, and the database cannot tell how. */
        COMMIT_UNKNOWN,
        /** The commit failed, and everything is rolled back. Some providers refuse a message only at the commit. */
        COMMIT_REFUSED;

        /** Whether the transaction may commit. */
        boolean mayCommit() {
            return this == SENT || this == FULL;
        }

        /**
         * The end after a batch that could not be completed.
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

    /** What the delivery does next. */
    enum Step {
        /** Probes the destination in a new transaction, and gives up if that fails. */
        PROBE,
        /** Charges the suspect, or the single message whose commit was refused. */
        BLAME,
        /** Sends the messages again that were sent, in one transaction. */
        AGAIN,
        /** The same in two transactions, half of the messages in each. */
        HALVES,
        /** Sends the messages that the transaction did not reach. */
        REST,
        /** Leaves the other messages to later batches, and fails. */
        GIVE_UP
    }

    /**
     * What the end of a transaction shows.
     *
     * @param sent the number of messages that were sent
     * @param suspect whether a probe in the transaction of a failed send failed too. Either the message has broken the
     *     connection, or the destination is away
     * @param late whether the sends of this batch have taken too long. If other messages fail each time, the destination is
     *     to blame
     * @param refusedCommits how often the commit of this message alone was refused, this time included
     */
    record Evidence(End end, int sent, boolean suspect, boolean late, int refusedCommits) {}

    static List<Step> steps(Evidence evidence) {
        return switch (evidence.end()) {
            case SENT, COMMIT_IN_DOUBT -> List.of();
            case FULL, FAILED, COMMIT_UNKNOWN -> List.of(Step.GIVE_UP);
            case DISCARDED -> List.of(Step.AGAIN, Step.REST);
            case TOO_MANY -> List.of(evidence.sent() > 1 ? Step.HALVES : Step.GIVE_UP);
            case MESSAGES_FAILED -> afterFailedMessages(evidence);
            case COMMIT_REFUSED -> afterRefusedCommit(evidence);
        };
    }

    private static List<Step> afterFailedMessages(Evidence evidence) {
        if (evidence.suspect()) {
            return evidence.late()
                    ? List.of(Step.PROBE, Step.BLAME, Step.GIVE_UP)
                    : List.of(Step.PROBE, Step.BLAME, Step.AGAIN, Step.REST);
        }
        return evidence.late() ? List.of(Step.GIVE_UP) : List.of(Step.AGAIN, Step.REST);
    }

    private static List<Step> afterRefusedCommit(Evidence evidence) {
        if (evidence.sent() == 0) {
            return List.of(Step.GIVE_UP);
        }
        if (evidence.sent() > 1) {
            return List.of(Step.PROBE, Step.HALVES);
        }
        return List.of(Step.PROBE, evidence.refusedCommits() < REFUSED_COMMITS ? Step.AGAIN : Step.BLAME);
    }
}

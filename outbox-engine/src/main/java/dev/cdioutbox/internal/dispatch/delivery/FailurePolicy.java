package dev.cdioutbox.internal.dispatch.delivery;

/**
 * Decides what follows an attempt that has not delivered all messages of a claim. A pure function of how the attempt ended, and of
 * the limit that it had.
 *
 * <pre>
 * the attempt       and                               then                    the next attempt has at most
 * ---------------   -------------------------------   ---------------------   ----------------------------
 * SENT                                                                        as many messages
 *                   so was the one before                                     twice as many
 * COMMIT_IN_DOUBT                                                             as SENT
 * COMMITTED_WITHOUT_BROKER                                                    as SENT
 * DISCARDED                                                                   as many
 * MESSAGES_FAILED                                                             those that were sent
 *                   a suspect                         probe, charge it        those that were sent
 *                   late                              fail
 *                   a suspect, late                   probe, charge it, fail
 * TOO_MANY          several messages were sent                                half of them; from now on
 *                   one or none                       fail
 * COMMIT_REFUSED    several messages were sent        probe                   half of them
 *                   one, the first or second time     probe                   one
 *                   one, the third time               probe, charge it        one
 *                   none                              fail
 * FULL                                                fail
 * FAILED                                              fail
 * COMMIT_UNKNOWN                                      fail
 * </pre>
 *
 * <p>So no message is charged for a failure that the destination may have caused, unless a probe has succeeded since. And
 * each line makes progress: a message is settled or charged, the next attempt has fewer messages, or the delivery fails.
 * Only the commit of a single message is tried again as it is, twice. A single message that exceeds the transaction's
 * time-out is not charged: more likely its destination is full and blocks the send, which no probe would show.
 *
 * <p>After one half is sent, the message that is refused at the commit is in the other one, so the limit stays. It grows after
 * that, because a claim may have many such messages; but not above a number that was too many, since each further time-out would
 * take as long.
 *
 * <p>A probe shows that the broker answers, and with exactly-once that broker and database commit together. It does not use
 * the destination itself: if only that has a fault, which the exception does not show, messages are charged.
 */
final class FailurePolicy {
    /** A database with SERIALIZABLE, or with too few prepared transactions, refuses commits at random. */
    private static final int REFUSED_COMMITS = 3;

    private FailurePolicy() {}

    /**
     * How much the next attempt may have.
     *
     * @param messages the number of messages
     * @param most how far that number may grow
     * @param refusedCommits how often the commit of one message, the next, was refused
     * @param grows whether the last attempt has sent its messages
     */
    record Limit(int messages, int most, int refusedCommits, boolean grows) {

        static Limit of(int messages) {
            return new Limit(messages, messages, 0, false);
        }

        private Limit afterSuccess() {
            return new Limit(grows ? Math.min(2 * messages, most) : messages, most, 0, true);
        }

        /** The same for other messages. */
        Limit ofOthers() {
            return new Limit(messages, most, 0, grows);
        }

        private Limit to(int fewer) {
            return new Limit(fewer, most, 0, false);
        }
    }

    /**
     * What an attempt shows.
     *
     * @param sent the number of messages that were sent
     * @param suspect whether a probe in the transaction of a failed send failed too. Either the message has broken the
     *     connection, or the destination is away
     * @param late whether the sends of this claim have taken too long. If other messages fail each time, the destination is
     *     to blame
     */
    record Evidence(End end, int sent, boolean suspect, boolean late) {}

    /**
     * What follows.
     *
     * @param probes whether to probe the destination in a new transaction, unless that was done for this claim and no message is
     *     charged. If the probe fails, so does the delivery
     * @param charges whether to charge the suspect, or the single message whose commit was refused
     * @param fails whether to leave the other messages to later claims, and to fail
     * @param limit of the next attempt
     */
    record Step(boolean probes, boolean charges, boolean fails, Limit limit) {

        private static Step goOn(Limit limit) {
            return new Step(false, false, false, limit);
        }

        private Step afterProbe(boolean charge) {
            return new Step(true, charge, fails, limit);
        }
    }

    static Step after(Evidence evidence, Limit limit) {
        Step fail = new Step(false, false, true, limit);
        int sent = evidence.sent();
        return switch (evidence.end()) {
            case SENT, COMMIT_IN_DOUBT, COMMITTED_WITHOUT_BROKER -> Step.goOn(limit.afterSuccess());
            case DISCARDED -> Step.goOn(limit.to(limit.messages()));
            case MESSAGES_FAILED -> {
                Step step = evidence.late() ? fail : Step.goOn(limit.to(sent == 0 ? limit.messages() : sent));
                yield evidence.suspect() ? step.afterProbe(true) : step;
            }
            case TOO_MANY -> sent > 1 ? Step.goOn(Limit.of(sent / 2)) : fail;
            case COMMIT_REFUSED -> sent == 0 ? fail : afterRefusedCommit(sent, limit);
            case FULL, FAILED, COMMIT_UNKNOWN -> fail;
        };
    }

    private static Step afterRefusedCommit(int sent, Limit limit) {
        if (sent > 1) {
            return Step.goOn(limit.to(sent / 2)).afterProbe(false);
        }
        int refused = limit.refusedCommits() + 1;
        boolean charge = refused == REFUSED_COMMITS;
        return Step.goOn(new Limit(1, limit.most(), charge ? 0 : refused, false))
                .afterProbe(charge);
    }
}

package dev.cdioutbox.internal.dispatch.crash;

import java.util.Optional;

import dev.cdioutbox.internal.config.RetryConfig;

/**
 * Decides what becomes of a message that crashes each process that sends it. Such a message is abandoned. But if the node itself is
 * at fault, for example by a codec that ends the process, each message seems to be one. So a second one is not skipped before
 * another message was delivered: it stops the destination until an operator decides. A pure function.
 *
 * <pre>
 * on-abandon   crashing messages   the destination             step            the other messages
 * ----------   -----------------   -------------------------   -------------   ------------------
 * block        any number          is not asked                ABANDON_EACH    are sent
 * skip         any number          is stopped                  FAIL            wait
 *              none                is not stopped              SEND            are sent
 *              one                 has delivered since         ABANDON         are sent
 *              several             has delivered since         ABANDON_FIRST   wait
 *              one or several      has not delivered since     STOP            wait
 * </pre>
 *
 * <p><i>Since</i> a message was last abandoned for its crashes. With {@code block}, no message is skipped, so the destination need
 * not work.
 */
final class CrashPolicy {
    /** In crashes while a message is sent alone; a lower max-attempts applies instead. */
    private static final int MAX_CRASHES = 3;

    private CrashPolicy() {}

    /** What follows. */
    enum Step {
        SEND,
        ABANDON_EACH,
        ABANDON,
        /** The next claim judges the second one, by what was delivered until then. */
        ABANDON_FIRST,
        /** The first one fails with a reason that stops the destination. It keeps its count, so each node that claims it asks. */
        STOP,
        /** The delivery fails. */
        FAIL;

        /** Whether the other messages of the batch are sent now. */
        boolean sendsOthers() {
            return this == SEND || this == ABANDON_EACH || this == ABANDON;
        }

        /** Whether nothing is sent to the destination until an operator decides. */
        boolean stopsDestination() {
            return this == STOP || this == FAIL;
        }
    }

    /**
     * What the tables say of the destination.
     *
     * @param crashedSinceDelivery whether a message was abandoned for its crashes, and none was delivered since
     * @param stoppedBy the sequence of the message that stops the destination
     */
    record History(boolean crashedSinceDelivery, Optional<Long> stoppedBy) {
        static final History DELIVERS = new History(false, Optional.empty());
    }

    /** The unfinished sends with which a message counts as one that crashes its processes. */
    static int mostCrashes(RetryConfig retry) {
        return Math.min(MAX_CRASHES, retry.maxAttempts());
    }

    /**
     * With {@code outbox.retry.on-abandon=skip}.
     *
     * @param crashing the number of crashing messages; 0 if none of them is the first message of its key
     */
    static Step of(int crashing, History history) {
        if (history.stoppedBy().isPresent()) {
            return Step.FAIL;
        }
        if (crashing == 0) {
            return Step.SEND;
        }
        if (history.crashedSinceDelivery()) {
            return Step.STOP;
        }
        return crashing == 1 ? Step.ABANDON : Step.ABANDON_FIRST;
    }
}

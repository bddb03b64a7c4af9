package dev.cdioutbox.protocol;

import static dev.cdioutbox.protocol.Action.COMMIT_BROKER;
import static dev.cdioutbox.protocol.Action.COMMIT_DATABASE;
import static dev.cdioutbox.protocol.Action.LOCK;
import static dev.cdioutbox.protocol.Action.LOG;
import static dev.cdioutbox.protocol.Action.LOOK;
import static dev.cdioutbox.protocol.Action.PREPARE_BROKER;
import static dev.cdioutbox.protocol.Action.PREPARE_DATABASE;
import static dev.cdioutbox.protocol.Action.READ;
import static dev.cdioutbox.protocol.Action.RELEASE;
import static dev.cdioutbox.protocol.Action.SEND;
import static dev.cdioutbox.protocol.Action.SETTLE;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What the nodes do. The two that are built, and ways to break them.
 *
 * @param actions what a node does from the claim to its end, in order
 * @param exactlyOnce whether a duplicate in the broker breaks the promise
 * @param claim what a claim is
 * @param settle what the settling statement asks for
 * @param watermarks how the nodes learn how far the partition is empty
 * @param breaks what is done wrong
 */
record Protocol(
        List<Action> actions,
        boolean exactlyOnce,
        Claim claim,
        Settle settle,
        Watermarks watermarks,
        Set<Break> breaks) {
    static final Protocol EXACTLY_ONCE =
            delivering(true, SEND, SETTLE, PREPARE_DATABASE, PREPARE_BROKER, LOG, COMMIT_BROKER, COMMIT_DATABASE);
    /** The same with a commit-priority of the broker, which is then prepared first too. */
    static final Protocol COMMIT_PRIORITY =
            delivering(true, SEND, SETTLE, PREPARE_BROKER, PREPARE_DATABASE, LOG, COMMIT_BROKER, COMMIT_DATABASE);

    static final Protocol AT_LEAST_ONCE = delivering(false, SEND, COMMIT_BROKER, SETTLE, COMMIT_DATABASE);
    static final Protocol SETTLE_BEFORE_PUBLISH = delivering(true, SETTLE, COMMIT_DATABASE, SEND, COMMIT_BROKER);
    static final Protocol DATABASE_FIRST =
            delivering(true, SETTLE, SEND, PREPARE_BROKER, PREPARE_DATABASE, LOG, COMMIT_DATABASE, COMMIT_BROKER);

    enum Claim {
        /** A row lock on a connection of its own. It dies with the connection. */
        LOCK,
        /** A row that says who and until when. It outlives its node, and may run out under it. */
        LEASE,
        /** A row lock in the delivery's own transaction. */
        IN_TRANSACTION,
        /** Locks on the messages that were read, and on nothing else; others skip what is locked. */
        MESSAGES_ONLY,
        /** None. Two nodes may do the same at once. */
        NONE;

        /** Whether two nodes may be in the partition. */
        boolean isShared() {
            return this == MESSAGES_ONLY || this == NONE;
        }
    }

    enum Settle {
        /** Only rows that still wait; their number must be the number sent. */
        WAITING_AND_COUNTED,
        /** As above, and only while the claim is this node's. */
        FENCED,
        /** Only rows that still wait, however many those are. */
        WAITING,
        /** Whatever has these ids. */
        ANY
    }

    /** Whether a claim begins where the partition was seen to be empty up to, and how far that is believed. */
    enum Watermarks {
        /** It begins at the beginning. */
        NONE,
        /** Up to the last sequence that was given out, once all have ended who are seen to write after that was noted. */
        AFTER_WRITERS,
        /** Up to the last sequence that was given out. */
        WITHOUT_WAITING,
        /** Once all have ended who were seen to write before the last sequence was noted. */
        WRITERS_SEEN_TOO_EARLY
    }

    enum Break {
        /** The look for rows in doubt leaves out the rows, but not their followers. */
        FOLLOWERS_PASS_DOUBT,
        /** What is in the partition is sent though its key is blocked. */
        SENDS_WHILE_BLOCKED,
        /** What is moved in the queue of the blocked key first is what was written last. */
        MOVES_HIGHEST_FIRST,
        /** A blocked key is removed without locking anything. */
        CLOSES_WITHOUT_LOCK,
        /** A blocked key is removed as soon as what stands behind it is sent, though that may be rolled back. */
        CLOSES_EARLY,
        /** A follower does not wait for a message that failed. */
        FOLLOWERS_PASS_FAILURE,
        /** The messages are read in the order of their writers' clocks. */
        ORDER_BY_JVM_TIME,
        /** Rows are read that are not committed. */
        READS_DIRTY,
        /** A later page is believed though an earlier one may have missed what was committed since. */
        PAGES_UNCHECKED,
        /** The look for rows in doubt does not notice that a row was settled since it was read. */
        LOOK_IGNORES_STATUS,
        /** What was claimed is not given back. */
        KEEPS_CLAIM,
        /** Settling waits for locked rows without an end. */
        SETTLES_PATIENTLY,
        /** A batch is committed though a send in it threw, and the broker's branch may have that message. */
        COMMITS_FAILED_SENDS,
        /** What an operator has discarded is taken for settled by another node. */
        DISCARDED_IS_LOST,
        /** What an operator has discarded is published all the same, though it could be taken back. */
        DISCARDED_IS_SENT,
        /** The transaction manager leaves a branch that it cannot reach for later and commits the next one. */
        COMMITS_PAST_OUTAGE
    }

    private static Protocol delivering(boolean exactlyOnce, Action... delivery) {
        List<Action> actions = new ArrayList<>(List.of(LOCK, READ, LOOK));
        actions.addAll(List.of(delivery));
        actions.add(RELEASE);
        return new Protocol(
                List.copyOf(actions),
                exactlyOnce,
                Claim.LOCK,
                Settle.WAITING_AND_COUNTED,
                Watermarks.NONE,
                EnumSet.noneOf(Break.class));
    }

    Protocol without(Action action) {
        return new Protocol(
                actions.stream().filter(each -> each != action).toList(),
                exactlyOnce,
                claim,
                settle,
                watermarks,
                breaks);
    }

    Protocol with(Claim other) {
        return new Protocol(actions, exactlyOnce, other, settle, watermarks, breaks);
    }

    Protocol with(Settle other) {
        return new Protocol(actions, exactlyOnce, claim, other, watermarks, breaks);
    }

    Protocol with(Watermarks other) {
        return new Protocol(actions, exactlyOnce, claim, settle, other, breaks);
    }

    Protocol with(Break more) {
        Set<Break> all = EnumSet.of(more);
        all.addAll(breaks);
        return new Protocol(actions, exactlyOnce, claim, settle, watermarks, all);
    }

    boolean is(Break broken) {
        return breaks.contains(broken);
    }

    Action action(int place) {
        return actions.get(place);
    }

    int release() {
        return actions.size() - 1;
    }

    int send() {
        return actions.indexOf(SEND);
    }

    int read() {
        return actions.indexOf(READ);
    }

    boolean commitsBrokerFirst() {
        return actions.indexOf(COMMIT_BROKER) < actions.indexOf(COMMIT_DATABASE);
    }

    boolean isOneTransaction() {
        return actions.contains(LOG);
    }
}

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
 * The rules that the nodes follow: the protocols of the product, and variants that break them.
 *
 * @param actions the actions of a node from the claim to its end, in order
 * @param exactlyOnce whether a duplicate in the broker breaks a promise
 * @param claim the form of a claim
 * @param settle the condition of the settling statement
 * @param watermarks how nodes find the commit watermark
 * @param breaks the rules that the nodes break
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
    /** As {@link #EXACTLY_ONCE}, with a commit-priority of the broker: the broker is then prepared first, too. */
    static final Protocol COMMIT_PRIORITY =
            delivering(true, SEND, SETTLE, PREPARE_BROKER, PREPARE_DATABASE, LOG, COMMIT_BROKER, COMMIT_DATABASE);

    static final Protocol AT_LEAST_ONCE = delivering(false, SEND, COMMIT_BROKER, SETTLE, COMMIT_DATABASE);
    static final Protocol SETTLE_BEFORE_PUBLISH = delivering(true, SETTLE, COMMIT_DATABASE, SEND, COMMIT_BROKER);
    static final Protocol DATABASE_FIRST =
            delivering(true, SETTLE, SEND, PREPARE_BROKER, PREPARE_DATABASE, LOG, COMMIT_DATABASE, COMMIT_BROKER);

    enum Claim {
        /** A row lock on a connection of its own, which ends with that connection. */
        LOCK,
        /** A row with an owner and an end. The lease outlives its node, and may expire while the node works. */
        LEASE,
        /** A row lock in the delivery's own transaction. */
        IN_TRANSACTION,
        /** Locks on the messages that were read, and on nothing else; other nodes skip locked messages. */
        MESSAGES_ONLY,
        /** No claim: two nodes may send the same message at once. */
        NONE;

        /** Whether two nodes may work on the partition at once. */
        boolean isShared() {
            return this == MESSAGES_ONLY || this == NONE;
        }
    }

    enum Settle {
        /** Only rows that still wait; their number must be the number of messages sent. */
        WAITING_AND_COUNTED,
        /** As {@link #WAITING_AND_COUNTED}, and only while this node owns the claim. */
        FENCED,
        /** Only rows that still wait, with any count. */
        WAITING,
        /** All rows with these ids, in any state. */
        ANY
    }

    /** When a noted sequence becomes the commit watermark, the upper limit of the read watermark. */
    enum Watermarks {
        /** No watermark: a claim reads from the beginning. */
        NONE,
        /** When all transactions have ended that were in flight after the note. */
        AFTER_WRITERS,
        /** At once, without waiting for transactions in flight. */
        WITHOUT_WAITING,
        /** When all transactions have ended that were in flight before the note. */
        WRITERS_SEEN_TOO_EARLY
    }

    enum Break {
        /** The lock probe leaves out rows in doubt, but not their followers. */
        FOLLOWERS_PASS_DOUBT,
        /** A node sends messages from the partition although their key is blocked. */
        SENDS_WHILE_BLOCKED,
        /** Maintenance moves the highest follower to the blocked key's queue first. */
        MOVES_HIGHEST_FIRST,
        /** Maintenance removes a blocked key without any lock. */
        CLOSES_WITHOUT_LOCK,
        /**
         * Maintenance removes a blocked key as soon as the messages of its queue are sent, although the send may be
         * rolled back.
         */
        CLOSES_EARLY,
        /** A follower does not wait for a failed message. */
        FOLLOWERS_PASS_FAILURE,
        /** A claim reads messages in the order of their writers' clocks. */
        ORDER_BY_JVM_TIME,
        /** A claim reads rows that are not committed. */
        READS_DIRTY,
        /** A claim continues behind its first page, although messages may have been committed to that page since. */
        CONTINUES_BEHIND_PAGE,
        /** The lock probe does not notice rows that were settled since they were read. */
        LOOK_IGNORES_STATUS,
        /** A node never releases its claim. */
        KEEPS_CLAIM,
        /** A settle waits for locked rows without a timeout. */
        SETTLES_PATIENTLY,
        /** A node commits a batch in which a send failed, although the broker's branch may have that message. */
        COMMITS_FAILED_SENDS,
        /** A settle treats a discarded message as settled by another node. */
        DISCARDED_IS_LOST,
        /** A settle publishes a discarded message, although the send could be rolled back. */
        DISCARDED_IS_SENT,
        /** The transaction manager leaves a branch that it cannot reach for later, and commits the next one. */
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

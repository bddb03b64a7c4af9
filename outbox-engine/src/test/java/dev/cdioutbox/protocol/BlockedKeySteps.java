package dev.cdioutbox.protocol;

import java.util.function.Consumer;

import dev.cdioutbox.protocol.Faults.Fault;
import dev.cdioutbox.protocol.Protocol.Break;
import dev.cdioutbox.protocol.Protocol.Claim;

/**
 * A node maintains the blocked keys of the partition. The node moves followers from the partition to the queue of their key,
 * the lowest first, and removes blocked keys without messages. The transaction holds the locks of the partition and of the
 * blocked key. In reality it ends a claim; here it may also come at any other time while the partition is free.
 */
record BlockedKeySteps(World world, int number) implements Rule {

    @Override
    public void steps(State state, Consumer<Step> to) {
        Node node = state.nodes().get(number);
        if (node.isMaintenance()) {
            end(state, node, to);
        } else if (node.isIdle()) {
            world.keys().stream().filter(state.blockedKeys()::meets).forEach(key -> begin(state, node, key, to));
        }
    }

    private void begin(State state, Node node, Messages key, Consumer<Step> to) {
        boolean empty = world.all(m -> isBehind(state, key, m)).isEmpty();
        if (world.protocol().is(Break.CLOSES_WITHOUT_LOCK)) {
            if (empty) {
                to.accept(Step.normal(
                        removed(state, key), () -> words("removes the blocked key of " + world.names(key))));
            }
        } else if (mayMaintain(state, key) && (empty || isSentEarly(state, key))) {
            to.accept(Step.normal(
                    locked(state).node(number, node.maintenance(key, Messages.NONE)),
                    () -> words("begins to remove the blocked key of " + world.names(key))));
        }
        Messages next = next(state, key);
        if (mayMaintain(state, key) && !empty && !next.isEmpty()) {
            to.accept(Step.normal(
                    locked(state).node(number, node.maintenance(key, next)),
                    () -> words("begins to move " + world.names(next) + " in the queue of its blocked key")));
        }
    }

    private void end(State state, Node node, Consumer<Step> to) {
        State done = node.moving().isEmpty() ? removed(state, node.waiting()) : state.behindBlockedKeys(node.moving());
        State free = isShared() ? done : done.releasedBy(number);
        to.accept(Step.normal(free.node(number, Node.IDLE), () -> words("commits that")));
        if (state.left().may(Fault.LOST_CLAIM)) {
            // The lost connection also held the lock of the partition.
            State lost = (isShared() ? state : state.releasedBy(number)).after(Fault.LOST_CLAIM);
            to.accept(Step.fault(lost.node(number, Node.IDLE), () -> words("loses its connection")));
        }
    }

    private static State removed(State state, Messages key) {
        return state.blockedKeys(state.blockedKeys().without(key));
    }

    private State locked(State state) {
        return isShared() ? state : state.owner(number);
    }

    private boolean isShared() {
        return world.protocol().claim().isShared();
    }

    private boolean mayMaintain(State state, Messages key) {
        boolean lease = world.protocol().claim() == Claim.LEASE;
        boolean free = isShared() || state.owner() == State.NO_NODE || (lease && state.owner() == number);
        return free && !state.isBlockedKeyLockedFor(number, key);
    }

    private boolean isBehind(State state, Messages key, int message) {
        return key.has(message)
                && state.blocked().has(message)
                && state.row(message).waits();
    }

    private boolean isSentEarly(State state, Messages key) {
        return world.protocol().is(Break.CLOSES_EARLY)
                && world.all(m -> isBehind(state, key, m) && state.row(m) == Row.FAILED)
                        .isEmpty();
    }

    /** The lowest message of the key that is still in the partition; none if another transaction has locked it. */
    private Messages next(State state, Messages key) {
        Messages inPartition = world.all(
                m -> key.has(m) && !state.blocked().has(m) && state.row(m).waits());
        boolean last = world.protocol().is(Break.MOVES_HIGHEST_FIRST);
        Messages next = inPartition.stream()
                .boxed()
                .reduce((first, second) -> last ? second : first)
                .map(Messages::of)
                .orElse(Messages.NONE);
        return next.meets(state.lockedFor(number)) ? Messages.NONE : next;
    }

    private String words(String what) {
        return "node " + (number + 1) + " " + what;
    }
}

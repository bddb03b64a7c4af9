package dev.cdioutbox.protocol;

import java.util.function.Consumer;

import dev.cdioutbox.protocol.Faults.Fault;
import dev.cdioutbox.protocol.Protocol.Break;
import dev.cdioutbox.protocol.Protocol.Claim;
import dev.cdioutbox.protocol.Protocol.Settle;

/** A node publishes and settles, and the transaction manager commits. */
record DeliverySteps(World world, int number) implements Rule {

    @Override
    public void steps(State state, Consumer<Step> to) {
        Node node = state.nodes().get(number);
        if (node.isDown() || node.isMaintenance()) {
            return;
        }
        Action action = world.protocol().action(node.next());
        switch (action) {
            case SEND -> send(state, node, to);
            case SETTLE -> settle(state, node, to);
            case PREPARE_DATABASE -> go(state, node, node.delivery().database(Branch.PREPARED), action.words, to);
            case PREPARE_BROKER -> go(state, node, node.delivery().broker(Branch.PREPARED), action.words, to);
            case LOG -> go(state, node, node.delivery().logged(true), action.words, to);
            case COMMIT_BROKER -> commitBroker(state, node, to);
            case COMMIT_DATABASE -> commitDatabase(state, node, to);
            default -> {}
        }
    }

    private void go(State state, Node node, Delivery now, String what, Consumer<Step> to) {
        to.accept(Step.normal(state.node(number, node.with(now).goneOn()), () -> words(what)));
    }

    private String words(String what) {
        return "node " + (number + 1) + " " + what;
    }

    private void send(State state, Node node, Consumer<Step> to) {
        Messages batch = node.batch();
        Delivery active = node.delivery().broker(Branch.ACTIVE);
        Messages failedBefore = node.delivery().failed();
        go(state, node, active.of(batch, failedBefore), "sends " + world.names(batch), to);
        if (state.left().may(Fault.FAILED_SEND) && failedBefore.isEmpty()) {
            State oneLess = state.after(Fault.FAILED_SEND);
            batch.stream().map(failed -> 1 << failed).mapToObj(Messages::new).forEach(failed -> {
                to.accept(failing(oneLess, node, failed, false));
                to.accept(failing(oneLess, node, failed, true));
            });
        }
    }

    /**
     * Charges the message an attempt and holds back its followers. If no message was sent, charges it only if the
     * failure is its own fault.
     *
     * <p>Here in the transaction of the settlement; the engine does it in the next one. Between the two, the message is like
     * one that was written after the claim.
     */
    private Step failing(State state, Node node, Messages failed, boolean blamed) {
        boolean followersPass = world.protocol().is(Break.FOLLOWERS_PASS_FAILURE);
        Messages held = followersPass ? failed : world.withTheirKeys(failed).without(new Messages(failed.bits() - 1));
        Messages sent = node.batch().without(held);
        boolean rollsBack = sent.isEmpty() && !blamed;
        if (!rollsBack && !blamed && !world.protocol().is(Break.COMMITS_FAILED_SENDS)) {
            return sendingAgain(state, node, failed, sent);
        }
        Node after = rollsBack
                ? rolledBack(node)
                : node.with(node.delivery().broker(Branch.ACTIVE).of(sent, failed))
                        .goneOn();
        return Step.fault(
                state.node(number, after),
                () -> words("fails to send " + world.names(failed)
                        + (rollsBack
                                ? " and rolls back"
                                : " and sends " + (sent.isEmpty() ? "nothing else" : world.names(sent)))));
    }

    /**
     * The broker may have the message: the node rolls the branch back, and sends only the other messages in the next
     * one.
     */
    private Step sendingAgain(State state, Node node, Messages failed, Messages sent) {
        return Step.fault(
                state.node(number, node.withBatch(sent).with(Delivery.NOTHING.of(Messages.NONE, failed))),
                () -> words("fails to send " + world.names(failed) + ", which the broker may have, and rolls back"));
    }

    /** Messages that the broker has already committed stay; the rest is rolled back. */
    private Node rolledBack(Node node) {
        return node.with(Delivery.NOTHING)
                .withBatch(Messages.NONE)
                .at(world.protocol().release());
    }

    private void settle(State state, Node node, Consumer<Step> to) {
        Delivery delivery =
                node.delivery().settled().isEmpty() ? node.delivery().of(node.batch(), Messages.NONE) : node.delivery();
        Messages rows = delivery.settled();
        if (rows.meets(state.lockedFor(number)) || isBlockedKeyLocked(state, delivery.failed())) {
            if (!world.protocol().is(Break.SETTLES_PATIENTLY)) {
                to.accept(Step.normal(
                        state.node(number, rolledBack(node)),
                        () -> words("finds rows locked when it settles, and rolls back")));
            }
        } else if (mayBeTakenBack() && delivery.sent().meets(discarded(state))) {
            to.accept(withoutDiscarded(state, node, delivery));
        } else if (isRefused(state, rows)) {
            to.accept(Step.normal(
                    state.node(number, rolledBack(node)),
                    () -> words("settles another number of rows than it sent, and rolls back")));
        } else {
            go(state, node, delivery.database(Branch.ACTIVE), "settles", to);
        }
    }

    private Messages discarded(State state) {
        return world.all(message -> state.row(message) == Row.DISCARDED);
    }

    private boolean mayBeTakenBack() {
        return world.protocol().isOneTransaction() && !world.protocol().is(Break.DISCARDED_IS_SENT);
    }

    /** Nothing is committed yet, so the node sends the other messages again, in another transaction. */
    private Step withoutDiscarded(State state, Node node, Delivery delivery) {
        Messages left = delivery.sent().without(discarded(state));
        Node again = node.withBatch(left)
                .with(Delivery.NOTHING.of(Messages.NONE, delivery.failed()))
                .at(world.protocol().send());
        return Step.normal(
                state.node(number, left.isEmpty() && delivery.failed().isEmpty() ? rolledBack(node) : again),
                () -> words("finds some discarded when it settles, and rolls back"));
    }

    private boolean isBlockedKeyLocked(State state, Messages failed) {
        return !failed.isEmpty() && state.isBlockedKeyLockedFor(number, world.withTheirKeys(failed));
    }

    private boolean isRefused(State state, Messages rows) {
        Settle settle = world.protocol().settle();
        boolean discardedIsLost = world.protocol().is(Break.DISCARDED_IS_LOST);
        boolean asClaimed = rows.stream()
                .mapToObj(state::row)
                .allMatch(row -> row.waits() || (row == Row.DISCARDED && !discardedIsLost));
        return switch (settle) {
            case WAITING_AND_COUNTED -> !asClaimed;
            case FENCED -> !asClaimed || state.owner() != number;
            case WAITING, ANY -> false;
        };
    }

    private void commitBroker(State state, Node node, Consumer<Step> to) {
        State after = Commit.broker(world, state, node.delivery());
        go(after, node, node.delivery().broker(Branch.COMMITTED), "commits in the broker", to);
        if (state.left().may(Fault.OUTAGE) && world.protocol().isOneTransaction()) {
            to.accept(Step.fault(
                    commitWithoutBroker(state, node),
                    () -> words(
                            world.protocol().is(Break.COMMITS_PAST_OUTAGE)
                                    ? "does not reach the broker, and commits in the database"
                                    : "does not reach the broker, and leaves both branches for later")));
        }
    }

    /** The node gives up, and recovery ends the branches. */
    private State commitWithoutBroker(State state, Node node) {
        State later = state.after(Fault.OUTAGE).node(number, rolledBack(node));
        Delivery delivery = node.delivery();
        return world.protocol().is(Break.COMMITS_PAST_OUTAGE) && delivery.database() == Branch.PREPARED
                ? Commit.database(world, later, delivery).doubt(delivery.database(Branch.COMMITTED))
                : later.doubt(delivery);
    }

    private void commitDatabase(State state, Node node, Consumer<Step> to) {
        State after = Commit.database(world, state, node.delivery());
        State freed = world.protocol().claim() == Claim.IN_TRANSACTION ? after.releasedBy(number) : after;
        go(freed, node, node.delivery().database(Branch.COMMITTED), "commits in the database", to);
    }
}

package dev.cdioutbox.protocol;

import java.util.function.Consumer;

import dev.cdioutbox.protocol.Faults.Fault;
import dev.cdioutbox.protocol.Protocol.Claim;

/** A node crashes, loses its claim, or starts again. */
record CrashSteps(World world, int number) implements Rule {

    @Override
    public void steps(State state, Consumer<Step> to) {
        Node node = state.nodes().get(number);
        if (node.isDown()) {
            to.accept(Step.normal(state.node(number, Node.IDLE), () -> words("starts again")));
        } else if (!node.isIdle() && state.left().may(Fault.DEATH)) {
            to.accept(Step.fault(dead(state, node), () -> words("dies")));
        }
        if (state.owner() == number) {
            loseClaim(state, node, to);
        }
    }

    private String words(String what) {
        return "node " + (number + 1) + " " + what;
    }

    /** Locks end with the connections; a prepared branch stays. */
    private State dead(State state, Node node) {
        State alive = world.protocol().claim() == Claim.LEASE ? state : state.releasedBy(number);
        return alive.after(Fault.DEATH).doubt(node.delivery().afterDeath()).node(number, Node.IDLE.at(Node.DOWN));
    }

    private void loseClaim(State state, Node node, Consumer<Step> to) {
        boolean lease = world.protocol().claim() == Claim.LEASE;
        State lost = state.releasedBy(number);
        if (node.isDown() || node.isIdle()) {
            if (lease) {
                to.accept(Step.normal(lost, () -> words("is gone, and its lease runs out")));
            }
        } else if (state.left().may(Fault.LOST_CLAIM) && !node.isMaintenance()) {
            to.accept(Step.fault(
                    lost.after(Fault.LOST_CLAIM),
                    () -> words(lease ? "is slow, and its lease runs out" : "loses the connection of its claim")));
        }
    }
}

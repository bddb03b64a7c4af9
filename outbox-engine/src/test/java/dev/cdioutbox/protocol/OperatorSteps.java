package dev.cdioutbox.protocol;

import java.util.function.Consumer;

import dev.cdioutbox.protocol.Faults.Fault;

/** An operator discards a waiting message. A claim does not prevent this; the operator skips locked rows. */
record OperatorSteps(World world) implements Rule {

    @Override
    public void steps(State state, Consumer<Step> to) {
        if (state.left().may(Fault.DISCARD)) {
            Messages locked = state.lockedFor(0).and(state.lockedFor(1));
            world.all(message -> state.row(message).waits() && !locked.has(message)).stream()
                    .forEach(message -> to.accept(Step.fault(
                            state.row(message, Row.DISCARDED).after(Fault.DISCARD),
                            () -> "an operator discards " + world.messages().get(message))));
        }
    }
}

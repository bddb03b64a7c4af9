package dev.cdioutbox.protocol;

import java.util.function.Consumer;

import dev.cdioutbox.protocol.Faults.Fault;

/**
 * Writers end their transactions. Writers that share the aggregate's row come one after the other, in the order of
 * {@code seq}: the second one writes only after the end of the first one.
 */
record WriterSteps(World world) implements Rule {

    @Override
    public void steps(State state, Consumer<Step> to) {
        for (int m = 0; m < world.messages().size(); m++) {
            int message = m;
            if (state.row(message) == Row.UNCOMMITTED && mayEnd(state, message)) {
                to.accept(Step.normal(state.commit(message), () -> words(message, "commits")));
                if (state.left().may(Fault.ROLLBACK)) {
                    to.accept(Step.fault(
                            state.row(message, Row.ROLLED_BACK).after(Fault.ROLLBACK),
                            () -> words(message, "rolls back")));
                }
            }
        }
    }

    private String words(int message, String ends) {
        return "the writer of " + world.messages().get(message) + " " + ends;
    }

    private boolean mayEnd(State state, int message) {
        Messages earlier =
                world.all(m -> m < message && world.key(m) == world.key(message) && state.row(m) == Row.UNCOMMITTED);
        return earlier.isEmpty() || !world.sharedRow();
    }
}

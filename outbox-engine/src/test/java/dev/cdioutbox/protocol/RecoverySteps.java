package dev.cdioutbox.protocol;

import java.util.function.Consumer;

import dev.cdioutbox.protocol.Faults.Fault;
import dev.cdioutbox.protocol.Protocol.Break;

/** Recovery, or an operator, ends a delivery in doubt at any later moment, one branch after the other. */
record RecoverySteps(World world) implements Rule {

    @Override
    public void steps(State state, Consumer<Step> to) {
        for (Delivery delivery : state.inDoubt()) {
            if (delivery.logged()) {
                commit(state, delivery, to);
                loseLog(state, delivery, to);
            } else {
                endWithoutLog(state, delivery, to);
            }
        }
    }

    private void commit(State state, Delivery delivery, Consumer<Step> to) {
        boolean brokerFirst = world.protocol().commitsBrokerFirst();
        boolean broker = delivery.broker() == Branch.PREPARED;
        boolean database = delivery.database() == Branch.PREPARED;
        if (broker && (brokerFirst || !database)) {
            to.accept(Step.recovery(
                    Commit.broker(world, state, delivery).resolve(delivery, delivery.broker(Branch.COMMITTED)),
                    () -> words("commits", delivery, "in the broker")));
        }
        if (database && (!brokerFirst || !broker)) {
            to.accept(Step.recovery(
                    commitDatabase(state, delivery), () -> words("commits", delivery, "in the database")));
        }
        if (database && brokerFirst && broker && state.left().may(Fault.OUTAGE) && goesOn()) {
            State later = state.after(Fault.OUTAGE);
            to.accept(Step.fault(
                    commitDatabase(later, delivery),
                    () -> words("does not reach the broker, and commits", delivery, "in the database")));
        }
    }

    private boolean goesOn() {
        return world.protocol().is(Break.COMMITS_PAST_OUTAGE);
    }

    private State commitDatabase(State state, Delivery delivery) {
        return Commit.database(world, state, delivery).resolve(delivery, delivery.database(Branch.COMMITTED));
    }

    private void loseLog(State state, Delivery delivery, Consumer<Step> to) {
        if (state.left().may(Fault.LOST_LOG)) {
            State poorer = state.after(Fault.LOST_LOG);
            to.accept(
                    Step.fault(poorer.resolve(delivery, delivery.logged(false)), () -> "the transaction log is lost"));
        }
    }

    /**
     * Without a log record, no commit was decided. If the broker has committed nevertheless, the record was lost, and
     * the commit counts.
     */
    private void endWithoutLog(State state, Delivery delivery, Consumer<Step> to) {
        if (delivery.broker() == Branch.COMMITTED) {
            to.accept(Step.recovery(
                    commitDatabase(state, delivery),
                    () -> "an operator finds " + world.names(delivery.sent())
                            + " in the broker, and commits in the database"));
            return;
        }
        if (delivery.broker() == Branch.PREPARED) {
            to.accept(Step.recovery(
                    state.resolve(delivery, delivery.broker(Branch.NONE)),
                    () -> words("rolls back", delivery, "in the broker")));
        }
        if (delivery.database() == Branch.PREPARED) {
            to.accept(Step.recovery(
                    state.resolve(delivery, delivery.database(Branch.NONE)),
                    () -> words("rolls back", delivery, "in the database")));
        }
    }

    private String words(String what, Delivery delivery, String where) {
        return "recovery " + what + " " + world.names(delivery.settled()) + " " + where;
    }
}

package dev.cdioutbox.protocol;

import java.util.function.Consumer;

import dev.cdioutbox.protocol.Protocol.Floors;

/**
 * The nodes learn up to where nobody writes any more. A writer whose turn has come may have its sequence at any time, and may
 * commit at any later one: so each is taken to have it.
 */
record FloorSteps(World world) implements Rule {

    @Override
    public void steps(State state, Consumer<Step> to) {
        Floor floor = state.floor();
        Floors how = world.protocol().floors();
        if (how != Floors.NONE) {
            survey(state, to);
            if (floor.step() > 0 || given(state) > floor.reached()) {
                learn(state, floor, how, to);
            }
        }
    }

    /** Without a claim: somebody reads how far the partition is empty. */
    private void survey(State state, Consumer<Step> to) {
        Floor raised = raised(world, state);
        if (!raised.equals(state.floor())) {
            to.accept(Step.normal(
                    state.floor(raised), () -> raised.height() + " sequences are seen to be over in the partition"));
        }
    }

    static Floor raised(World world, State state) {
        return state.floor()
                .raised(
                        world
                                .all(m -> state.row(m).waits()
                                        && !state.gated().has(m)
                                        && !state.floor().isAbove(m))
                                .stream()
                                .findFirst()
                                .orElse(Integer.MAX_VALUE));
    }

    private void learn(State state, Floor floor, Floors how, Consumer<Step> to) {
        boolean writersFirst = how == Floors.WRITERS_SEEN_TOO_EARLY;
        if (floor.step() == (writersFirst ? 1 : 0)) {
            int given = given(state);
            to.accept(Step.normal(
                    state.floor(floor.noting(given)), () -> "it is noted that " + given + " sequences were given out"));
        } else if (floor.step() < 2) {
            Messages writing = writing(state, writersFirst ? given(state) : floor.noted());
            to.accept(Step.normal(
                    state.floor(floor.noting(writing)), () -> "the writers of " + world.names(writing) + " are seen"));
        } else if (how == Floors.WITHOUT_WAITING
                || !writing(state, floor.noted()).meets(floor.writers())) {
            to.accept(Step.normal(
                    state.floor(floor.believed()), () -> "nobody is believed to write up to " + floor.noted()));
        }
    }

    /** Up to the first one that must wait for another to end. */
    private int given(State state) {
        return world
                .all(m -> world.sharedRow()
                        && !world.all(e -> e < m && world.key(e) == world.key(m) && isWriting(state, e))
                                .isEmpty())
                .stream()
                .findFirst()
                .orElse(world.messages().size());
    }

    private Messages writing(State state, int upTo) {
        return world.all(m -> m < upTo && isWriting(state, m));
    }

    private static boolean isWriting(State state, int message) {
        return state.row(message) == Row.UNCOMMITTED;
    }
}

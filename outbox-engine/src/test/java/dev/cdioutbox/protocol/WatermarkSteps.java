package dev.cdioutbox.protocol;

import java.util.function.Consumer;

import dev.cdioutbox.protocol.Protocol.Watermarks;

/**
 * The nodes find the sequence below which no transaction is in flight. A writer may take its sequence at any time after
 * the previous writer of its key has ended, and may commit much later. So the model counts the writer as in flight from
 * then on.
 */
record WatermarkSteps(World world) implements Rule {

    @Override
    public void steps(State state, Consumer<Step> to) {
        ModelWatermark watermark = state.watermark();
        Watermarks how = world.protocol().watermarks();
        if (how != Watermarks.NONE) {
            survey(state, to);
            if (watermark.step() > 0 || given(state) > watermark.reached()) {
                learn(state, watermark, how, to);
            }
        }
    }

    /** A query without a claim, such as that of the backlog, raises the read watermark. */
    private void survey(State state, Consumer<Step> to) {
        ModelWatermark raised = raised(world, state);
        if (!raised.equals(state.watermark())) {
            to.accept(Step.normal(
                    state.watermark(raised),
                    () -> raised.height() + " sequences are seen to be over in the partition"));
        }
    }

    static ModelWatermark raised(World world, State state) {
        return state.watermark()
                .raised(
                        world
                                .all(m -> state.row(m).waits()
                                        && !state.blocked().has(m)
                                        && !state.watermark().isAbove(m))
                                .stream()
                                .findFirst()
                                .orElse(Integer.MAX_VALUE));
    }

    private void learn(State state, ModelWatermark watermark, Watermarks how, Consumer<Step> to) {
        boolean writersFirst = how == Watermarks.WRITERS_SEEN_TOO_EARLY;
        if (watermark.step() == (writersFirst ? 1 : 0)) {
            int given = given(state);
            to.accept(Step.normal(
                    state.watermark(watermark.noting(given)),
                    () -> "it is noted that " + given + " sequences were given out"));
        } else if (watermark.step() < 2) {
            Messages writing = writing(state, writersFirst ? given(state) : watermark.noted());
            to.accept(Step.normal(
                    state.watermark(watermark.noting(writing)),
                    () -> "the writers of " + world.names(writing) + " are seen"));
        } else if (how == Watermarks.WITHOUT_WAITING
                || !writing(state, watermark.noted()).meets(watermark.writers())) {
            to.accept(Step.normal(
                    state.watermark(watermark.believed()),
                    () -> "nobody is believed to write up to " + watermark.noted()));
        }
    }

    /** The number of sequences that may be assigned: up to the first writer that has to wait for another one. */
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

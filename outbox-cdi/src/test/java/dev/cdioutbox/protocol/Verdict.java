package dev.cdioutbox.protocol;

import static org.assertj.core.api.Assertions.assertThat;

/** What the tests say of a search. The shortest way to a violation is in the message. */
final class Verdict {
    private Verdict() {}

    /** @param moreThan a number of states somewhat below what there are: fewer would mean that steps are missing */
    static void holds(World world, int moreThan, Invariant... alsoAsked) {
        Search.Result result = Search.of(world, alsoAsked);
        assertThat(result.violated()).as(result.toString()).isNull();
        assertThat(result.states()).isGreaterThan(moreThan);
    }

    static void isRefuted(World world, Invariant by, Invariant... alsoAsked) {
        Search.Result result = Search.of(world, alsoAsked);
        assertThat(result.violated()).as(result.toString()).isEqualTo(by);
    }
}

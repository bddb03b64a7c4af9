package dev.cdioutbox.protocol;

import static org.assertj.core.api.Assertions.assertThat;

/** Asserts the result of a search. The message has a shortest way to a violation. */
final class Verdict {
    private Verdict() {}

    /**
     * @param moreThan a number somewhat below the expected number of states: a search with fewer states misses steps
     */
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

package dev.cdioutbox.tests.bench;

import java.time.Duration;

/**
 * How long a benchmark measures.
 *
 * @param pairs the number of pairs of blocks for a comparison
 * @param block the length of a block
 * @param warmUp the length of the block of each side that is not counted
 */
record Form(String name, int pairs, Duration block, Duration warmUp) {
    /** All rows in about ten minutes. The intervals are wide. */
    static final Form SHORT = new Form("short", 3, Duration.ofSeconds(3), Duration.ofSeconds(4));

    private static final Duration LONG_WARM_UP = Duration.ofSeconds(20);

    static final Form FULL = new Form("full", 10, Duration.ofSeconds(20), Duration.ofSeconds(60));

    /** Returns the form that the system property {@code bench.form} names. */
    static Form chosen() {
        String name = System.getProperty("bench.form", SHORT.name);
        if (name.equals(SHORT.name)) {
            return SHORT;
        }
        if (name.equals(FULL.name)) {
            return FULL;
        }
        throw new IllegalArgumentException("bench.form is short or full, not " + name);
    }

    /**
     * Returns this form with a longer warm-up, for a row whose JVM needs longer to compile: one of a low rate, or one with
     * a JVM of its own. Without it, a third of the measured CPU was the compiler's.
     */
    Form withLongWarmUp() {
        return withWarmUp(LONG_WARM_UP);
    }

    /** Returns this form with a warm-up of at least this length for each side. */
    Form withWarmUp(Duration least) {
        return warmUp.compareTo(least) < 0 ? new Form(name, pairs, block, least) : this;
    }

    /** Returns this form with three pairs, for a row of which each block is long or steady. */
    Form ofFewPairs() {
        return new Form(name, 3, block, warmUp);
    }
}

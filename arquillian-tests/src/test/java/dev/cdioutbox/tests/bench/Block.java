package dev.cdioutbox.tests.bench;

import java.time.Duration;

/** One thing to measure. */
@FunctionalInterface
interface Block {
    /**
     * Works for about the given time and measures itself.
     *
     * @return the figure, such as a rate or a median latency; in the unit of the comparison, and greater than 0
     */
    double run(Duration time) throws Exception;
}

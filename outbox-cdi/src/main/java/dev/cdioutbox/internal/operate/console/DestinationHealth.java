package dev.cdioutbox.internal.operate.console;

import java.time.Duration;

/**
 * How the way to a destination is, as far as this node has seen.
 *
 * @param trouble why the last run failed; null if it did not
 * @param silence for how long a thread has waited for the broker or the database; zero if none is at work
 */
record DestinationHealth(LastFailure failure, Duration silence) {
    /** A batch is cut after 5 s of sending; who says nothing for longer waits for an answer. */
    private static final Duration SILENT_AFTER = Duration.ofSeconds(30);

    /** A send that never returns fails nothing and logs nothing. */
    boolean isSilent() {
        return silence.compareTo(SILENT_AFTER) >= 0;
    }
}

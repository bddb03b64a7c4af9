package dev.cdioutbox.internal.operate.console;

import java.time.Duration;

/**
 * The health of a destination as seen by this node.
 *
 * @param failure the failure of the last run; null if it succeeded
 * @param silence how long a thread has waited for the broker or the database; zero if none is at work
 */
record DestinationHealth(Failure failure, Duration silence) {
    /** A batch ends after 5 s of sending, so a longer silence means a wait for an answer. */
    private static final Duration SILENT_AFTER = Duration.ofSeconds(30);

    /** A hanging send neither fails nor logs anything. */
    boolean isSilent() {
        return silence.compareTo(SILENT_AFTER) >= 0;
    }

    /**
     * Why this node could not deliver to a destination when it last tried. Public, as JSON-B needs it.
     *
     * @param at milliseconds since 1970
     */
    public record Failure(long at, String reason) {}
}

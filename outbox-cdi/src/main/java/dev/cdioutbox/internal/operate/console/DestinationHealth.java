package dev.cdioutbox.internal.operate.console;

import java.time.Duration;

/**
 * The health of a destination as seen by this node.
 *
 * @param failure the failure of the last run; null if it succeeded
 * @param silence how long a thread has waited for the broker or the database; zero if none is at work
 * @param inDoubt the messages that only recovery or a person can release; null if there is none
 */
record DestinationHealth(Failure failure, Duration silence, InDoubt inDoubt) {
    /** A batch ends after 5 s of sending, so a longer silence means a wait for an answer. */
    private static final Duration SILENT_AFTER = Duration.ofSeconds(30);

    /** Recovery ends a shorter doubt, and no person has to know. */
    private static final Duration DOUBTFUL_AFTER = Duration.ofMinutes(1);

    /** Whether a person has to look at messages in doubt. */
    boolean isInDoubt() {
        return inDoubt != null && inDoubt.seconds() >= DOUBTFUL_AFTER.toSeconds();
    }

    /** A hanging send neither fails nor logs anything. */
    boolean isSilent() {
        return silence.compareTo(SILENT_AFTER) >= 0;
    }

    /**
     * Messages in doubt. Public, as JSON-B needs it.
     *
     * @param seconds for how long the first of them has been known to be
     */
    public record InDoubt(int messages, long seconds) {}

    /**
     * Why this node could not deliver to a destination when it last tried. Public, as JSON-B needs it.
     *
     * @param at milliseconds since 1970
     */
    public record Failure(long at, String reason) {}
}

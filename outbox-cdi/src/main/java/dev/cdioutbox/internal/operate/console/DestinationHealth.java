package dev.cdioutbox.internal.operate.console;

import java.time.Duration;

/**
 * The health of a destination as seen by this node.
 *
 * @param failure the failure of the last run; null if it succeeded
 * @param silence the longest time that a thread has waited for the broker or the database; zero without a running
 *     thread
 * @param inDoubt the messages that only recovery or an operator can release; null if there are none
 */
record DestinationHealth(Failure failure, Duration silence, InDoubt inDoubt) {
    /** A batch ends after 5 s of sending, so a longer silence means a wait for an answer. */
    private static final Duration SILENT_AFTER = Duration.ofSeconds(30);

    /** Recovery usually resolves a shorter doubt without an operator. */
    private static final Duration DOUBTFUL_AFTER = Duration.ofMinutes(1);

    /** Whether messages in doubt need an operator. */
    boolean isInDoubt() {
        return inDoubt != null && inDoubt.seconds() >= DOUBTFUL_AFTER.toSeconds();
    }

    /** Whether a send seems to hang: a hanging send neither fails nor logs. */
    boolean isSilent() {
        return silence.compareTo(SILENT_AFTER) >= 0;
    }

    /**
     * Messages in doubt. Public, as JSON-B needs it.
     *
     * @param seconds the time since this node found the first of them
     */
    public record InDoubt(int messages, long seconds) {}

    /**
     * The failure of this node's last delivery to a destination. Public, as JSON-B needs it.
     *
     * @param at milliseconds since 1970
     */
    public record Failure(long at, String reason) {}
}

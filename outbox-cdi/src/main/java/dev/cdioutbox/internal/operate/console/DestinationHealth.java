package dev.cdioutbox.internal.operate.console;

import java.time.Duration;

import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.observe.Gauges.Failure;

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

    /** @param label the destination's label, which is unique across outboxes */
    static DestinationHealth of(Gauges gauges, String label) {
        int messages = gauges.inDoubt(label);
        return new DestinationHealth(
                gauges.lastFailure(label),
                gauges.silence(label),
                messages == 0 ? null : new InDoubt(messages, (long) gauges.inDoubtSeconds(label)));
    }

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
}

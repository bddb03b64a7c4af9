package dev.cdioutbox.internal.deadletter;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The queues of dead letters at their brokers. The JMS module implements it; each call connects to the broker, and throws
 * OBX-0522 if that fails.
 */
public interface DeadLetterQueues {

    /**
     * Reads letters, in the order of the queue, and leaves them in the queue. Their payloads are read only if the filter names a
     * message.
     *
     * @param sentTo returns the JNDI name of the queue to which the outbox has sent the message with an id, or null;
     *     asked for letters of which the broker does not say where they came from
     */
    List<DeadLetter> browse(
            DeadLetterQueue queue, DeadLetterFilter filter, int skip, int limit, UnaryOperator<String> sentTo);

    /** Counts letters up to a limit. */
    int count(DeadLetterQueue queue, DeadLetterFilter filter, int most);

    /**
     * Takes letters off the queue in the current JTA transaction. One without an id is left.
     *
     * @param sendBack whether each is sent to its origin; then one whose origin is unknown or missing is left, too
     */
    Batch take(DeadLetterQueue queue, List<DeadLetter> letters, boolean sendBack);

    /** What was taken, and what was left in the queue. Letters in neither were taken by somebody else. */
    record Batch(List<DeadLetter> taken, List<DeadLetter> left) {}
}

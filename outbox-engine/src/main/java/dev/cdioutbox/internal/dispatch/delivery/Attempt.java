package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * One attempt to send messages and to settle them: how it ended, and what that shows of them.
 *
 * @param failure why the messages are not settled, or why the destination accepts no more; null if there is no reason
 * @param sent the messages that were sent, in order
 * @param expired the messages that were left out because they are too old
 * @param failed the messages at fault
 * @param suspect a message that failed, and then the probe failed, too; null if there is none
 * @param discarded the messages that an operator discarded while they were sent
 * @param brokerIds the broker's ids of the messages that were sent, by sequence, as far as the publisher knows them
 * @param nanos the time of the sends
 */
record Attempt(
        End end,
        Exception failure,
        List<OutboxMessage> sent,
        List<OutboxMessage> expired,
        List<Failure> failed,
        Failure suspect,
        Set<Long> discarded,
        Map<Long, String> brokerIds,
        long nanos) {

    /** Before the first send. */
    static final Attempt NOTHING =
            new Attempt(End.SENT, null, List.of(), List.of(), List.of(), null, Set.of(), Map.of(), 0);

    Attempt ended(End how, Exception why) {
        return new Attempt(how, why, sent, expired, failed, suspect, discarded, brokerIds, nanos);
    }

    /**
     * The same of a message whose handler has a transaction to itself: whatever rolls that back is most likely the handler's doing,
     * also if only the settlement fails in it. So the message is suspect, unless the handler has decided what becomes of it.
     */
    Attempt ofOneMessage() {
        if (end != End.TOO_MANY && end != End.COMMIT_REFUSED && end != End.FAILED) {
            return this;
        }
        if (failed.stream().map(Failure::cause).anyMatch(Attempt::decides)) {
            return ended(End.MESSAGES_FAILED, failure);
        }
        return Stream.concat(sent.stream(), failed.stream().map(Failure::message))
                .findFirst()
                .map(this::suspecting)
                .orElse(this);
    }

    private static boolean decides(PublishException cause) {
        return cause.blame() == Blame.MESSAGE || cause.retryAfter() != null;
    }

    private Attempt suspecting(OutboxMessage message) {
        PublishException why =
                new PublishException(Blame.UNKNOWN, "the transaction of its handler was rolled back", failure);
        return new Attempt(
                End.MESSAGES_FAILED,
                failure,
                sent,
                expired,
                List.of(),
                new Failure(message, why),
                discarded,
                brokerIds,
                nanos);
    }

    Attempt withDiscarded(Set<Long> sequences) {
        return new Attempt(end, failure, sent, expired, failed, suspect, sequences, brokerIds, nanos);
    }

    /** Whether all of these messages are sent and settled. */
    boolean delivers(List<OutboxMessage> messages) {
        return end == End.SENT && sent.size() == messages.size();
    }
}

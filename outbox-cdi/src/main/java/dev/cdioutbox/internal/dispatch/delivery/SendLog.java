package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery.Failure;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.End;
import dev.cdioutbox.spi.PublishException;

/**
 * What became of the messages of a {@link SendLoop}, if the transaction commits.
 *
 * @param sent the messages that were sent, in order
 * @param expired the messages that were left out because they are too old
 * @param brokerIds the broker's ids of the messages that were sent, by sequence, as far as the publisher knows them
 * @param failed the messages at fault
 * @param suspect a message that failed, and then the probe failed, too; null if there is none
 * @param untried the messages from the one that ended the loop
 * @param ending how the sends ended
 * @param nanos the time of the sends
 */
record SendLog(
        List<OutboxMessage> sent,
        List<OutboxMessage> expired,
        Map<Long, String> brokerIds,
        List<Failure> failed,
        Failure suspect,
        List<OutboxMessage> untried,
        Ending ending,
        long nanos) {

    static final SendLog NOTHING =
            new SendLog(List.of(), List.of(), Map.of(), List.of(), null, List.of(), Ending.SENT, 0);

    /**
     * How the sends of a transaction ended.
     *
     * @param failure why the destination gets no more messages, or why the transaction must roll back; or null
     */
    record Ending(End end, PublishException failure) {
        static final Ending SENT = new Ending(End.SENT, null);

        /** After a failure of unknown origin, the transaction rolls back, even if the destination is full as well. */
        Ending afterFailedSend(PublishException cause) {
            return switch (cause.blame()) {
                case MESSAGE -> this;
                case DESTINATION -> new Ending(End.FAILED, cause);
                case DESTINATION_FULL -> end == End.SENT ? new Ending(End.FULL, cause) : this;
                case UNKNOWN -> new Ending(End.MESSAGES_FAILED, failure == null ? cause : failure);
            };
        }

        /**
         * A sender that cannot be opened or closed is not the fault of a message. Keeps the end that a send has caused: a
         * message that breaks its connection makes the close fail, too, and would never be charged.
         */
        Ending afterFailedOpenOrClose(PublishException cause) {
            if (end.mayCommit()) {
                return new Ending(End.FAILED, cause);
            }
            if (cause != failure) {
                failure.addSuppressed(cause);
            }
            return this;
        }
    }

    End end() {
        return ending.end();
    }

    PublishException failure() {
        return ending.failure();
    }
}

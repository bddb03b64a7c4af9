package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Publishes a batch. A failed message blocks its own key only. If several messages fail for an unknown reason and none
 * succeeds after them, no message is charged, since the destination may be the cause.
 *
 * <p>A batch ends after a few rejections by a full destination, by time, so that its transaction does not time out, and
 * when the application stops.
 */
final class BatchSender {
    private static final Duration MAX_SEND_TIME = Duration.ofSeconds(5);

    private final OutboxPublisher publisher;
    private final LongSupplier nanos;
    private final BooleanSupplier stopped;

    /**
     * @param nanos a clock that only goes forward
     * @param stopped whether the application has begun to stop
     */
    BatchSender(OutboxPublisher publisher, LongSupplier nanos, BooleanSupplier stopped) {
        this.publisher = publisher;
        this.nanos = nanos;
        this.stopped = stopped;
    }

    /** Whether the application is stopping. */
    boolean isStopped() {
        return stopped.getAsBoolean();
    }

    /**
     * Sends a batch in the current transaction.
     *
     * @param clock the database's clock, for messages that expire while others of the batch are sent, and for the
     *     remaining time to live
     * @throws PublishException if the destination is to blame, or if no message succeeded and none can be blamed
     * @throws SendOutcomeUnknownException if a message failed and the broker may have it all the same
     */
    SendResult send(String destination, List<OutboxMessage> batch, DatabaseClock clock)
            throws PublishException, SendOutcomeUnknownException {
        SendResultBuilder results = new SendResultBuilder();
        try (OutboxPublisher.Sender sender = publisher.open(destination)) {
            // Measured after the connection is open: a slow connection would leave no time for the first message.
            long start = nanos.getAsLong();
            for (OutboxMessage message : batch) {
                boolean late = nanos.getAsLong() - start > MAX_SEND_TIME.toNanos();
                if (late || stopped.getAsBoolean() && !results.isEmpty()) {
                    results.endBefore(message);
                } else if (!results.isBlocked(message)) {
                    send(sender, message, withTimeLeft(message, clock), results);
                }
                if (results.isEnded()) {
                    break;
                }
            }
        }
        return results.build();
    }

    private static void send(
            OutboxPublisher.Sender sender, OutboxMessage message, OutboxMessage now, SendResultBuilder results)
            throws PublishException {
        if (now.terms().isExpired()) {
            results.expired(message);
            return;
        }
        try {
            send(sender, now);
            results.sent(message, sender.lastBrokerMessageId());
        } catch (PublishException e) {
            results.failed(message, e);
        }
    }

    private static OutboxMessage withTimeLeft(OutboxMessage message, DatabaseClock clock) {
        OutboxMessage.Terms terms = message.terms();
        if (terms.expiresAt() == null) {
            return message;
        }
        Duration left = Duration.between(clock.now(), terms.expiresAt());
        return new OutboxMessage(
                message.sequence(),
                message.id(),
                message.event(),
                message.body(),
                message.context(),
                new OutboxMessage.Terms(terms.notBefore(), terms.expiresAt(), left, terms.priority()),
                message.delivery(),
                message.occurredAt(),
                message.createdAt());
    }

    /**
     * Runtime exceptions and errors of a publisher are failures of the message: thrown on, they would stop the destination without a charge.
     */
    private static void send(OutboxPublisher.Sender sender, OutboxMessage message) throws PublishException {
        try {
            sender.send(message);
        } catch (RuntimeException
                | LinkageError
                | AssertionError
                | ServiceConfigurationError
                | StackOverflowError
                | OutOfMemoryError e) {
            throw new PublishException(Blame.UNKNOWN, "the publisher failed", e);
        }
    }
}

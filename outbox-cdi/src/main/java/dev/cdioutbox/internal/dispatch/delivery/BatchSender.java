package dev.cdioutbox.internal.dispatch.delivery;

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
 * Sends messages in the current transaction. A failed message blocks its own key only. If a failure does not show
 * whether the message or the destination is to blame, the sender probes the destination in the same transaction.
 */
public final class BatchSender {
    /** A stopping server waits for the attempt, and the rows stay locked meanwhile. */
    static final Duration MAX_SEND_TIME = Duration.ofSeconds(5);

    /** Sending may take 1/TIME_SHARE of the transaction's time; the rest is for the settlement. */
    private static final int TIME_SHARE = 2;

    private final OutboxPublisher publisher;
    private final LongSupplier nanos;
    private final BooleanSupplier stopped;

    /**
     * @param nanos a monotonic clock in nanoseconds
     * @param stopped whether the application has begun to stop
     */
    public BatchSender(OutboxPublisher publisher, LongSupplier nanos, BooleanSupplier stopped) {
        this.publisher = publisher;
        this.nanos = nanos;
        this.stopped = stopped;
    }

    /** Whether the application is stopping. */
    boolean isStopped() {
        return stopped.getAsBoolean();
    }

    /**
     * Sends messages until all are tried, the time is over, or the destination accepts no more.
     *
     * @param clock the database's clock, for messages that expire while others are sent, and for the remaining time to
     *     live
     * @param timeLeft the time until the container rolls the transaction back; null if unknown
     * @param result receives the result, also if this method throws
     * @throws PublishException if the transaction must roll back: the destination is to blame, or the broker may have a
     *     message that failed
     */
    void send(
            String destination, List<OutboxMessage> messages, DatabaseClock clock, Duration timeLeft, SendResult result)
            throws PublishException {
        long begin = nanos.getAsLong();
        try (OutboxPublisher.Sender sender = publisher.open(destination)) {
            long start = nanos.getAsLong();
            long maxTime = maxSendNanos(timeLeft, start - begin);
            try {
                for (int i = 0; i < messages.size() && isOpen(result); i++) {
                    OutboxMessage message = messages.get(i);
                    // Send the first message in any case: a slow connection must not end every attempt without a send.
                    boolean late = i > 0 && nanos.getAsLong() - start > maxTime;
                    if (late || stopped.getAsBoolean() && !result.sent().isEmpty()) {
                        result.endBefore(messages.subList(i, messages.size()));
                        break;
                    }
                    if (result.isBlocked(message)) {
                        continue;
                    }
                    PublishException failure = sendOrExpire(sender, message, clock, result);
                    if (failure != null) {
                        judge(destination, new SendResult.Failure(message, failure), result);
                    }
                    if (!isOpen(result)) {
                        boolean again = result.destinationFull() != null;
                        result.endBefore(messages.subList(again ? i : i + 1, messages.size()));
                    }
                }
            } finally {
                result.took(nanos.getAsLong() - start);
            }
        }
        if (result.outcomeUnknown() != null) {
            throw result.outcomeUnknown();
        }
    }

    /** @param openNanos the part of the transaction's time that the connection took */
    private static long maxSendNanos(Duration timeLeft, long openNanos) {
        return timeLeft == null
                ? MAX_SEND_TIME.toNanos()
                : Math.min(MAX_SEND_TIME.toNanos(), timeLeft.toNanos() / TIME_SHARE - openNanos);
    }

    private static boolean isOpen(SendResult result) {
        return result.suspect() == null && result.destinationFull() == null;
    }

    /** @throws PublishException if the destination is to blame */
    private void judge(String destination, SendResult.Failure failure, SendResult result) throws PublishException {
        switch (failure.cause().blame()) {
            case MESSAGE -> result.refused(failure);
            case DESTINATION -> throw failure.cause();
            case DESTINATION_FULL -> result.destinationFull(failure.cause());
            case UNKNOWN -> result.outcomeUnknown(failure, isAnswering(destination, failure.cause()));
        }
    }

    /** Whether the destination accepts a probe in the current transaction, which rolls back in any case. */
    private boolean isAnswering(String destination, PublishException why) {
        PublishException failure = call(() -> publisher.probe(destination));
        if (failure != null) {
            why.addSuppressed(failure);
        }
        return failure == null;
    }

    /** @return the failure, or null */
    private static PublishException sendOrExpire(
            OutboxPublisher.Sender sender, OutboxMessage message, DatabaseClock clock, SendResult result) {
        OutboxMessage now = withTimeLeft(message, clock);
        if (now.terms().isExpired()) {
            result.expired(message);
            return null;
        }
        PublishException failure = call(() -> sender.send(now));
        if (failure == null) {
            result.sent(message, sender.lastBrokerMessageId());
        }
        return failure;
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
     * Turns runtime exceptions and errors of a publisher into failures of unknown origin. A rethrow would stop the
     * destination without a charge.
     *
     * @return the failure, or null
     */
    private static PublishException call(PublisherCall call) {
        try {
            call.run();
            return null;
        } catch (PublishException e) {
            return e;
        } catch (RuntimeException
                | LinkageError
                | AssertionError
                | ServiceConfigurationError
                | StackOverflowError
                | OutOfMemoryError e) {
            return new PublishException(Blame.UNKNOWN, "the publisher failed", e);
        }
    }

    private interface PublisherCall {
        void run() throws PublishException;
    }
}

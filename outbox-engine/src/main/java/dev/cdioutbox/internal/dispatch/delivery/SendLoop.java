package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.dispatch.publish.PublisherCall;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.Followers;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Sends the messages of one transaction in order, until all are tried, the time is over, or the destination accepts no
 * more, and then has the publisher complete the batch. Leaves out expired messages and the followers of failed ones.
 *
 * <p>A failed send shows who is to blame. If it does not, a probe of the destination in the same transaction does:
 *
 * <pre>
 * failed send         probe     the message is   the end of the attempt     the loop
 * ----------------    -------   --------------   ------------------------   --------
 * MESSAGE                       at fault         as before                  goes on
 * DESTINATION                   untried          FAILED                     is over
 * DESTINATION_FULL              untried          FULL, or MESSAGES_FAILED   is over
 * UNKNOWN             answers   at fault         MESSAGES_FAILED            goes on
 *                     fails     suspect          MESSAGES_FAILED            is over
 * </pre>
 *
 * <p>{@link FailedMessages} has the same for the failures that the completion reports.
 */
final class SendLoop {
    /** A stopping server waits for the sends, and the partitions stay claimed meanwhile. */
    static final Duration MAX_SEND_TIME = Duration.ofSeconds(5);

    /** Sending may take 1/TIME_SHARE of the transaction's time; the rest is for the settlement. */
    private static final int TIME_SHARE = 2;

    private final Environment environment;
    private final DestinationPublisher publisher;
    private final Opening opening;
    private final DatabaseClock clock;

    private final List<OutboxMessage> sent = new ArrayList<>();
    private final List<OutboxMessage> expired = new ArrayList<>();
    private final List<Failure> failed = new ArrayList<>();
    private final Followers followers = new Followers();
    private Map<Long, String> brokerIds = Map.of();
    private Failure suspect;
    /** Whether the destination gets no more messages. */
    private boolean isOver;

    private End end = End.SENT;
    /** Why the destination gets no more messages, or why the transaction must roll back; or null. */
    private PublishException failure;

    /** Opens the sender. */
    interface Opening {
        Sender open() throws PublishException;
    }

    SendLoop(Environment environment, DestinationPublisher publisher, Opening opening, DatabaseClock clock) {
        this.environment = environment;
        this.publisher = publisher;
        this.opening = opening;
        this.clock = clock;
    }

    /**
     * Sends in the current transaction. Call it once.
     *
     * @param timeLeft the time until the container rolls the transaction back; null if unknown
     */
    Attempt send(List<OutboxMessage> messages, Duration timeLeft) {
        long opened = environment.nanoTime();
        long begin = opened;
        try (Sender sender = opening.open()) {
            begin = environment.nanoTime();
            long deadline = begin + maxSendNanos(timeLeft, begin - opened);
            for (int tried = 0; tried < messages.size() && !isOver && !mustEnd(tried, deadline); tried++) {
                sendOrExpire(sender, messages.get(tried));
            }
            if (end.mayCommit() && !sent.isEmpty()) {
                complete(sender);
            }
        } catch (PublishException e) {
            failedToOpenOrClose(e);
        } catch (RuntimeException
                | LinkageError
                | AssertionError
                | ServiceConfigurationError
                | StackOverflowError
                | OutOfMemoryError e) {
            // An error would leave the worker without a report of its batch.
            failedToOpenOrClose(new PublishException(Blame.DESTINATION, "the publisher failed", e));
        }
        long nanos = environment.nanoTime() - begin;
        return new Attempt(end, failure, sent, expired, failed, suspect, Set.of(), brokerIds, nanos);
    }

    /** @param openNanos the part of the transaction's time that the connection took */
    private static long maxSendNanos(Duration timeLeft, long openNanos) {
        return timeLeft == null
                ? MAX_SEND_TIME.toNanos()
                : Math.min(MAX_SEND_TIME.toNanos(), timeLeft.toNanos() / TIME_SHARE - openNanos);
    }

    private boolean mustEnd(int tried, long deadline) {
        // Send the first message in any case: a slow connection must not end every transaction without a send.
        return tried > 0 && environment.nanoTime() - deadline > 0 || environment.isStopping() && !sent.isEmpty();
    }

    private void sendOrExpire(Sender sender, OutboxMessage message) {
        if (followers.mustWait(message.orderingKey())) {
            return;
        }
        // By the clock: sends of other messages take time after the claim has read this one.
        Instant expiresAt = message.terms().expiresAt();
        if (expiresAt != null && !clock.now().isBefore(expiresAt)) {
            expired.add(message);
            return;
        }
        PublishException cause = PublisherCall.failureOf(() -> sender.send(message));
        if (cause == null) {
            sent.add(message);
        } else {
            failedToSend(new Failure(message, cause));
        }
    }

    /** The table of this class. */
    private void failedToSend(Failure unsent) {
        PublishException cause = unsent.cause();
        switch (cause.blame()) {
            case MESSAGE -> atFault(unsent);
            case DESTINATION -> {
                become(End.FAILED, cause);
                isOver = true;
            }
            case DESTINATION_FULL -> {
                // After a failure of unknown origin, the transaction rolls back even so.
                become(end == End.SENT ? End.FULL : end, cause);
                isOver = true;
            }
            case UNKNOWN -> {
                become(End.MESSAGES_FAILED, cause);
                if (answersAfter(unsent)) {
                    atFault(unsent);
                } else {
                    isOver = true;
                }
            }
        }
    }

    private void become(End after, PublishException cause) {
        if (after != end) {
            end = after;
            failure = cause;
        }
    }

    private void atFault(Failure unsent) {
        failed.add(unsent);
        followers.waitFor(unsent.message().orderingKey());
    }

    /** Probes in the same transaction. Without an answer, the message is suspect. */
    private boolean answersAfter(Failure unclear) {
        PublishException refusal = PublisherCall.failureOf(publisher::probe);
        if (refusal == null) {
            return true;
        }
        unclear.cause().addSuppressed(refusal);
        suspect = unclear;
        return false;
    }

    /**
     * Completes the batch. If messages have failed, their followers may be sent already, so the transaction rolls back,
     * and the others are sent again.
     */
    private void complete(Sender sender) {
        List<Failure> failures = new ArrayList<>();
        PublishException refusal = PublisherCall.failureOf(() -> {
            Map<OutboxMessage, PublishException> reported = sender.complete();
            if (!reported.isEmpty()) {
                failures.addAll(Failure.of(reported, sent));
            }
        });
        if (refusal != null) {
            // It does not show which message is at fault.
            end = End.of(refusal.blame(), End.COMMIT_REFUSED);
            failedAfterSends(refusal);
        } else if (failures.isEmpty()) {
            brokerIds = BrokerIds.of(sender, sent, publisher.target());
        } else {
            leaveOut(FailedMessages.of(failures));
        }
    }

    private void leaveOut(FailedMessages failures) {
        end = failures.end();
        failedAfterSends(failures.cause());
        failed.addAll(failures.atFault());
        List<Failure> unclear = failures.unclear();
        if (!unclear.isEmpty() && answersAfter(unclear.get(0))) {
            failed.addAll(unclear);
        }
        failed.forEach(each -> sent.remove(each.message()));
    }

    /**
     * A sender that cannot be opened or closed is not the fault of a message. Keeps the end that a send has caused: a message that
     * breaks its connection makes the close fail as well, and would never be charged.
     */
    private void failedToOpenOrClose(PublishException cause) {
        if (end.mayCommit()) {
            end = End.FAILED;
        }
        failedAfterSends(cause);
    }

    /** Keeps the reason of a failed send: a destination without room, for example, may refuse the rest because of that. */
    private void failedAfterSends(PublishException cause) {
        if (failure == null) {
            failure = cause;
        } else if (failure != cause) {
            failure.addSuppressed(cause);
        }
    }
}

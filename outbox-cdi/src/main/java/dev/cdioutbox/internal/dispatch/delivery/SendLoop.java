package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.Followers;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Sends the messages of one transaction in order, until all are tried, the time is over, or the destination accepts no
 * more, and then has the batch completed. Leaves out expired messages and the followers of failed ones.
 *
 * <p>If a failure does not show whether the message or the destination is to blame, probes the destination in the same
 * transaction:
 *
 * <pre>
 * failed send         probe     the message is   end                        the loop
 * ----------------    -------   --------------   ------------------------   --------
 * MESSAGE                       at fault         as before                  goes on
 * DESTINATION                   untried          FAILED                     ends
 * DESTINATION_FULL              untried          FULL, or MESSAGES_FAILED   ends
 * UNKNOWN             answers   at fault         MESSAGES_FAILED            goes on
 * UNKNOWN             fails     suspect          MESSAGES_FAILED            ends
 * </pre>
 *
 * <p>{@link FailedMessages} has the same for the failures of a completed batch.
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
        int tried = 0;
        long opened = environment.nanoTime();
        long begin = opened;
        try (Sender sender = opening.open()) {
            begin = environment.nanoTime();
            long deadline = begin + maxSendNanos(timeLeft, begin - opened);
            while (tried < messages.size() && !mustEnd(tried, deadline) && sendOrExpire(sender, messages.get(tried))) {
                tried++;
            }
            if (end.mayCommit() && !sent.isEmpty()) {
                complete(sender);
            }
        } catch (PublishException e) {
            failedToOpenOrClose(e);
        } catch (RuntimeException | LinkageError | AssertionError | ServiceConfigurationError e) {
            // An error would leave the worker without a report of its batch.
            failedToOpenOrClose(new PublishException(Blame.DESTINATION, "the publisher failed", e));
        }
        long nanos = environment.nanoTime() - begin;
        return new Attempt(end, failure, sent, expired, failed, suspect, Set.of(), brokerIds, nanos);
    }

    /**
     * A sender that cannot be opened or closed is not the fault of a message. Keeps the end that a send has caused: a message that
     * breaks its connection makes the close fail, too, and would never be charged.
     */
    private void failedToOpenOrClose(PublishException cause) {
        if (end.mayCommit()) {
            end = End.FAILED;
            failure = cause;
        } else if (cause != failure) {
            failure.addSuppressed(cause);
        }
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

    /** @return whether the loop goes on */
    private boolean sendOrExpire(Sender sender, OutboxMessage message) {
        if (followers.mustWait(message.orderingKey())) {
            return true;
        }
        // By the clock: sends of other messages take time after the claim has read this one.
        Instant expiresAt = message.terms().expiresAt();
        if (expiresAt != null && !clock.now().isBefore(expiresAt)) {
            return expired.add(message);
        }
        PublishException cause = failureOf(() -> sender.send(message));
        return cause == null ? sent.add(message) : goesOnAfter(new Failure(message, cause));
    }

    private boolean goesOnAfter(Failure unsent) {
        End after = end.afterFailedSend(unsent.cause().blame());
        failure = after == end ? failure : unsent.cause();
        end = after;
        return switch (unsent.cause().blame()) {
            case MESSAGE -> block(unsent);
            case DESTINATION, DESTINATION_FULL -> false;
            case UNKNOWN -> answersAfter(unsent) && block(unsent);
        };
    }

    private boolean block(Failure unsent) {
        followers.waitFor(unsent.message().orderingKey());
        return failed.add(unsent);
    }

    /** Probes in the same transaction. Without an answer, the message is suspect. */
    private boolean answersAfter(Failure unclear) {
        PublishException refusal = failureOf(publisher::probe);
        if (refusal != null) {
            unclear.cause().addSuppressed(refusal);
            suspect = unclear;
        }
        return refusal == null;
    }

    /**
     * Completes the batch. If messages have failed, their followers may be sent already, so the transaction rolls back,
     * and the others are sent again.
     */
    private void complete(Sender sender) {
        List<Failure> failures = new ArrayList<>();
        PublishException refusal = failureOf(() -> failures.addAll(failuresOf(sender.complete())));
        if (refusal != null) {
            // It does not show which message is at fault.
            end = End.of(refusal.blame(), End.COMMIT_REFUSED);
            failure = refusal;
        } else if (failures.isEmpty()) {
            brokerIds = BrokerIds.of(sender, sent, publisher.target());
        } else {
            leaveOut(FailedMessages.of(failures));
        }
    }

    /** In the order of the sends. Fails if the publisher names a message that it was not given. */
    private List<Failure> failuresOf(Map<OutboxMessage, PublishException> causes) {
        Map<Long, PublishException> bySequence = new HashMap<>();
        causes.forEach((message, cause) -> bySequence.put(message.sequence(), ofNode(Objects.requireNonNull(cause))));
        List<Failure> failures = sent.stream()
                .filter(message -> bySequence.containsKey(message.sequence()))
                .map(message -> new Failure(message, bySequence.get(message.sequence())))
                .toList();
        if (failures.size() < bySequence.size()) {
            throw new IllegalArgumentException("failures of messages that were not sent: " + bySequence);
        }
        return failures;
    }

    private void leaveOut(FailedMessages failures) {
        end = failures.end();
        failure = failures.cause();
        failed.addAll(failures.atFault());
        List<Failure> unclear = failures.unclear();
        if (!unclear.isEmpty() && answersAfter(unclear.get(0))) {
            failed.addAll(unclear);
        }
        failed.forEach(each -> sent.remove(each.message()));
    }

    /**
     * Turns other exceptions and errors of a publisher into failures of unknown origin. A rethrow would stop the
     * destination without a charge. Memory and stack can be used up by a single message.
     *
     * @return the failure, or null
     */
    static PublishException failureOf(Environment.Work call) {
        try {
            call.run();
            return null;
        } catch (PublishException e) {
            return ofNode(e);
        } catch (Exception
                | LinkageError
                | AssertionError
                | ServiceConfigurationError
                | StackOverflowError
                | OutOfMemoryError e) {
            return ofNode(new PublishException(Blame.UNKNOWN, "the publisher failed", e));
        }
    }

    /** A class or a native library that this node cannot load is not there for any message. */
    private static PublishException ofNode(PublishException failure) {
        boolean isOfNode = failure.blame() == Blame.UNKNOWN
                && Causes.any(failure, e -> e instanceof LinkageError || e instanceof ServiceConfigurationError);
        return isOfNode ? new PublishException(Blame.DESTINATION, failure.getMessage(), failure) : failure;
    }
}

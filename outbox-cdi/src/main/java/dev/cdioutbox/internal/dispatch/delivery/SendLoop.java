package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery.Failure;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.End;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Sends the messages of one transaction in order, until all are tried, the time is over, or the destination accepts no
 * more. Leaves out expired messages and the followers of failed ones. If a failure does not show whether the message or
 * the destination is to blame, probes the destination in the same transaction.
 */
final class SendLoop {
    /** A stopping server waits for the sends, and the partitions stay claimed meanwhile. */
    static final Duration MAX_SEND_TIME = Duration.ofSeconds(5);

    /** Sending may take 1/TIME_SHARE of the transaction's time; the rest is for the settlement. */
    private static final int TIME_SHARE = 2;

    private static final Logger LOG = Logger.getLogger(SendLoop.class.getName());

    /** Static, because a loop lasts for one batch. */
    private static final RepeatedLine UNKNOWN_IDS = new RepeatedLine();

    /** Of the failures of one batch, those of the destination decide: other messages may have failed for that reason. */
    private static final List<Blame> DECISIVE_FIRST =
            List.of(Blame.DESTINATION, Blame.DESTINATION_FULL, Blame.UNKNOWN, Blame.MESSAGE);

    private final Services services;
    private final String target;
    private final Opening opening;
    private final DatabaseClock clock;

    private final List<OutboxMessage> sent = new ArrayList<>();
    private final List<OutboxMessage> expired = new ArrayList<>();
    private final Map<Long, String> brokerIds = new HashMap<>();
    private final List<Failure> failed = new ArrayList<>();
    private final Set<String> blockedKeys = new HashSet<>();
    private Failure suspect;
    private End end = End.SENT;
    private PublishException failure;

    /**
     * What became of the messages, if the transaction commits.
     *
     * @param sent the messages that were sent, in order
     * @param expired the messages that were left out because they are too old
     * @param failed the messages at fault
     * @param suspect a message that failed, and then the probe failed, too; null if there is none
     * @param untried the messages from the one that ended the loop
     * @param end how the sends ended
     * @param failure why the destination gets no more messages, or why the transaction must roll back; or null
     * @param nanos the time of the sends
     */
    record SendLog(
            List<OutboxMessage> sent,
            List<OutboxMessage> expired,
            Map<Long, String> brokerIds,
            List<Failure> failed,
            Failure suspect,
            List<OutboxMessage> untried,
            End end,
            PublishException failure,
            long nanos) {

        static final SendLog NOTHING =
                new SendLog(List.of(), List.of(), Map.of(), List.of(), null, List.of(), End.SENT, null, 0);
    }

    /** Opens the sender. */
    interface Opening {
        Sender open() throws PublishException;
    }

    /** @param target the destination that really gets the messages: the shadow destination, if there is one */
    SendLoop(Services services, String target, Opening opening, DatabaseClock clock) {
        this.services = services;
        this.target = target;
        this.opening = opening;
        this.clock = clock;
    }

    /**
     * Sends in the current transaction. Call it once.
     *
     * @param timeLeft the time until the container rolls the transaction back; null if unknown
     */
    SendLog send(List<OutboxMessage> messages, Duration timeLeft) {
        int tried = 0;
        long opened = services.nanoTime();
        long begin = opened;
        try (Sender sender = opening.open()) {
            begin = services.nanoTime();
            long deadline = begin + maxSendNanos(timeLeft, begin - opened);
            while (tried < messages.size() && !mustEnd(tried, deadline) && sendOrExpire(sender, messages.get(tried))) {
                tried++;
            }
            if (end.mayCommit() && !sent.isEmpty()) {
                complete(sender);
            }
        } catch (PublishException e) {
            failAround(e);
        } catch (RuntimeException e) {
            failAround(new PublishException(Blame.DESTINATION, "the publisher failed", e));
        }
        List<OutboxMessage> untried = messages.subList(tried, messages.size());
        long nanos = services.nanoTime() - begin;
        return new SendLog(sent, expired, brokerIds, failed, suspect, untried, end, failure, nanos);
    }

    /** @param openNanos the part of the transaction's time that the connection took */
    private static long maxSendNanos(Duration timeLeft, long openNanos) {
        return timeLeft == null
                ? MAX_SEND_TIME.toNanos()
                : Math.min(MAX_SEND_TIME.toNanos(), timeLeft.toNanos() / TIME_SHARE - openNanos);
    }

    private boolean mustEnd(int tried, long deadline) {
        // Send the first message in any case: a slow connection must not end every transaction without a send.
        return tried > 0 && services.nanoTime() - deadline > 0 || services.isStopping() && !sent.isEmpty();
    }

    private void end(End how, PublishException why) {
        end = how;
        failure = why;
    }

    /**
     * Notes that the sender could not be opened or closed, which is not the fault of a message. Keeps the end that a send has
     * caused: a message that breaks its connection makes the close fail, too, and would never be charged.
     */
    private void failAround(PublishException why) {
        if (end.mayCommit()) {
            end(End.FAILED, why);
        } else if (why != failure) {
            failure.addSuppressed(why);
        }
    }

    /** @return whether the loop goes on */
    private boolean sendOrExpire(Sender sender, OutboxMessage message) {
        if (blockedKeys.contains(message.orderingKey())) {
            return true;
        }
        // By the clock: sends of other messages take time after the claim has read this one.
        Instant expiresAt = message.terms().expiresAt();
        if (expiresAt != null && !clock.now().isBefore(expiresAt)) {
            return expired.add(message);
        }
        PublishException cause = call(() -> sender.send(message));
        if (cause != null) {
            return goesOnAfter(new Failure(message, cause));
        }
        return sent.add(message);
    }

    /** @return whether the loop goes on */
    private boolean goesOnAfter(Failure unsent) {
        PublishException cause = unsent.cause();
        return switch (cause.blame()) {
            case MESSAGE -> block(unsent);
            case DESTINATION -> {
                end(End.FAILED, cause);
                yield false;
            }
            case DESTINATION_FULL -> {
                // After a failure of unknown origin, the transaction rolls back all the same.
                if (end == End.SENT) {
                    end(End.FULL, cause);
                }
                yield false;
            }
            case UNKNOWN -> {
                end(End.MESSAGES_FAILED, failure == null ? cause : failure);
                yield answersAfter(unsent) && block(unsent);
            }
        };
    }

    /** Probes in the same transaction. Without an answer, the message is suspect. */
    private boolean answersAfter(Failure unclear) {
        PublishException refusal = call(() -> services.probe(target));
        if (refusal != null) {
            unclear.cause().addSuppressed(refusal);
            suspect = unclear;
        }
        return refusal == null;
    }

    private boolean block(Failure failure) {
        if (failure.message().orderingKey() != null) {
            blockedKeys.add(failure.message().orderingKey());
        }
        return failed.add(failure);
    }

    /**
     * Completes the batch. If messages have failed, their followers may be sent already, so the transaction rolls back,
     * and the others are sent again.
     */
    private void complete(Sender sender) {
        List<Failure> failures = new ArrayList<>();
        PublishException refusal = call(() -> failures.addAll(failuresOf(sender.complete())));
        if (refusal != null) {
            // It does not show which message is at fault.
            end(End.of(refusal.blame(), End.COMMIT_REFUSED), refusal);
        } else if (failures.isEmpty()) {
            sent.forEach(message -> noteBrokerId(sender, message));
        } else {
            judge(failures);
        }
    }

    /** In the order of the sends. Fails if the publisher names a message that it was not given. */
    private List<Failure> failuresOf(Map<OutboxMessage, PublishException> causes) {
        Map<Long, PublishException> bySequence = new HashMap<>();
        causes.forEach((message, cause) -> bySequence.put(message.sequence(), Objects.requireNonNull(cause)));
        List<Failure> failures = sent.stream()
                .filter(message -> bySequence.containsKey(message.sequence()))
                .map(message -> new Failure(message, bySequence.get(message.sequence())))
                .toList();
        if (failures.size() < bySequence.size()) {
            throw new IllegalArgumentException("failures of messages that were not sent: " + bySequence);
        }
        return failures;
    }

    private void judge(List<Failure> failures) {
        Map<Blame, List<Failure>> byBlame = failures.stream()
                .collect(Collectors.groupingBy(each -> each.cause().blame()));
        PublishException decisive = DECISIVE_FIRST.stream()
                .flatMap(blame -> byBlame.getOrDefault(blame, List.of()).stream())
                .map(Failure::cause)
                .findFirst()
                .orElseThrow();
        end(End.of(decisive.blame(), End.MESSAGES_FAILED), decisive);
        failed.addAll(byBlame.getOrDefault(Blame.MESSAGE, List.of()));
        List<Failure> unclear = byBlame.getOrDefault(Blame.UNKNOWN, List.of());
        if (end == End.MESSAGES_FAILED && !unclear.isEmpty() && answersAfter(unclear.get(0))) {
            failed.addAll(unclear);
        }
        failed.forEach(each -> sent.remove(each.message()));
    }

    /** A failure must not fail the batch: a transport without JTA transactions has committed it, and would get it twice. */
    private void noteBrokerId(Sender sender, OutboxMessage message) {
        PublishException unknown = call(() -> {
            String brokerId = sender.brokerMessageId(message);
            if (brokerId != null) {
                brokerIds.put(message.sequence(), brokerId);
            }
        });
        int due = unknown == null ? 0 : UNKNOWN_IDS.due(System.nanoTime());
        if (due > 0) {
            String label = services.config().label(target);
            LOG.log(
                    Level.WARNING,
                    OutboxCode.BROKER_ID_UNKNOWN.text(label, message.id(), FailureReason.of(unknown), due),
                    unknown);
        }
    }

    /**
     * Turns other exceptions and errors of a publisher into failures of unknown origin. A rethrow would stop the
     * destination without a charge.
     *
     * @return the failure, or null
     */
    private static PublishException call(Services.Work call) {
        try {
            call.run();
            return null;
        } catch (PublishException e) {
            return e;
        } catch (Exception
                | LinkageError
                | AssertionError
                | ServiceConfigurationError
                | StackOverflowError
                | OutOfMemoryError e) {
            return new PublishException(Blame.UNKNOWN, "the publisher failed", e);
        }
    }
}

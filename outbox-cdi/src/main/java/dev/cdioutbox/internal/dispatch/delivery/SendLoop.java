package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery.Failure;
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
    /** A stopping server waits for the sends, and the rows stay locked meanwhile. */
    static final Duration MAX_SEND_TIME = Duration.ofSeconds(5);

    /** Sending may take 1/TIME_SHARE of the transaction's time; the rest is for the settlement. */
    private static final int TIME_SHARE = 2;

    private final Environment environment;
    private final String target;
    private final DatabaseClock clock;

    private final List<OutboxMessage> through = new ArrayList<>();
    private final Set<Long> expired = new HashSet<>();
    private final Map<Long, String> brokerIds = new HashMap<>();
    private final List<Failure> failed = new ArrayList<>();
    private final Set<String> blockedKeys = new HashSet<>();
    private Failure suspect;
    private PublishException full;
    private PublishException rollback;

    /**
     * What became of the messages, if the transaction commits.
     *
     * @param through the messages that were sent or have expired, in order
     * @param expired the sequences of the expired ones
     * @param failed the messages at fault
     * @param suspect the message that ended the loop, since its send failed and so did the probe; null if there is none
     * @param untried the messages that the loop did not reach, or for which there was no room
     * @param full the failure of a full destination, or null
     * @param rollback why the transaction must roll back, or null: the destination is to blame, or the broker may have a
     *     message that failed
     * @param nanos the time of the sends
     */
    record SendLog(
            List<OutboxMessage> through,
            Set<Long> expired,
            Map<Long, String> brokerIds,
            List<Failure> failed,
            Failure suspect,
            List<OutboxMessage> untried,
            PublishException full,
            PublishException rollback,
            long nanos) {

        static final SendLog NOTHING =
                new SendLog(List.of(), Set.of(), Map.of(), List.of(), null, List.of(), null, null, 0);

        List<OutboxMessage> sent() {
            return through.stream()
                    .filter(message -> !expired.contains(message.sequence()))
                    .toList();
        }
    }

    /** @param target the destination that really gets the messages: the shadow destination, if there is one */
    SendLoop(Environment environment, String target, DatabaseClock clock) {
        this.environment = environment;
        this.target = target;
        this.clock = clock;
    }

    /**
     * Sends in the current transaction. Call it once.
     *
     * @param timeLeft the time until the container rolls the transaction back; null if unknown
     */
    SendLog send(List<OutboxMessage> messages, Duration timeLeft) {
        int next = 0;
        long opened = environment.nanoTime();
        long begin = opened;
        try (Sender sender = environment.open(target)) {
            begin = environment.nanoTime();
            long end = begin + maxSendNanos(timeLeft, begin - opened);
            while (next < messages.size() && !isOver(next, end) && sendOrExpire(sender, messages.get(next))) {
                next++;
            }
        } catch (PublishException e) {
            rollback = e;
        } catch (RuntimeException e) {
            // The sender could not be opened or closed, which is not the fault of a message.
            rollback = new PublishException(Blame.DESTINATION, "the publisher failed", e);
        }
        List<OutboxMessage> untried = messages.subList(suspect == null ? next : next + 1, messages.size());
        long nanos = environment.nanoTime() - begin;
        return new SendLog(through, expired, brokerIds, failed, suspect, untried, full, rollback, nanos);
    }

    /** @param openNanos the part of the transaction's time that the connection took */
    private static long maxSendNanos(Duration timeLeft, long openNanos) {
        return timeLeft == null
                ? MAX_SEND_TIME.toNanos()
                : Math.min(MAX_SEND_TIME.toNanos(), timeLeft.toNanos() / TIME_SHARE - openNanos);
    }

    private boolean isOver(int next, long end) {
        // Send the first message in any case: a slow connection must not end every transaction without a send.
        return next > 0 && environment.nanoTime() - end > 0
                || environment.isStopping() && through.size() > expired.size();
    }

    /** @return whether the loop goes on */
    private boolean sendOrExpire(Sender sender, OutboxMessage message) {
        if (blockedKeys.contains(message.orderingKey())) {
            return true;
        }
        // By the clock: sends of other messages take time after the claim has read this one.
        Instant end = message.terms().expiresAt();
        if (end != null && !clock.now().isBefore(end)) {
            through.add(message);
            expired.add(message.sequence());
            return true;
        }
        PublishException failure = call(() -> sender.send(message));
        if (failure != null) {
            return judge(new Failure(message, failure));
        }
        through.add(message);
        String brokerId = sender.lastBrokerMessageId();
        if (brokerId != null) {
            brokerIds.put(message.sequence(), brokerId);
        }
        return true;
    }

    /** @return whether the loop goes on */
    private boolean judge(Failure failure) {
        PublishException cause = failure.cause();
        return switch (cause.blame()) {
            case MESSAGE -> block(failure);
            case DESTINATION -> {
                rollback = cause;
                yield false;
            }
            case DESTINATION_FULL -> {
                full = cause;
                yield false;
            }
            case UNKNOWN -> {
                // The broker may have the message.
                rollback = rollback == null ? cause : rollback;
                PublishException refusal = call(() -> environment.probe(target));
                if (refusal != null) {
                    cause.addSuppressed(refusal);
                    suspect = failure;
                }
                yield refusal == null && block(failure);
            }
        };
    }

    private boolean block(Failure failure) {
        if (failure.message().orderingKey() != null) {
            blockedKeys.add(failure.message().orderingKey());
        }
        return failed.add(failure);
    }

    /**
     * Turns other exceptions and errors of a publisher into failures of unknown origin. A rethrow would stop the
     * destination without a charge.
     *
     * @return the failure, or null
     */
    private static PublishException call(Environment.Work call) {
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

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
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery.Failure;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.internal.store.SettlementResult;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * One attempt to send messages in the current transaction, and to settle them. A failed message blocks its own key
 * only. If a failure does not show whether the message or the destination is to blame, the attempt probes the
 * destination in the same transaction. The attempt outlives its transaction: after a rollback it shows which messages
 * got through and which failed. One thread uses it.
 */
final class DeliveryAttempt {
    /** A stopping server waits for the attempt, and the rows stay locked meanwhile. */
    static final Duration MAX_SEND_TIME = Duration.ofSeconds(5);

    private static final Logger LOG = Logger.getLogger(DeliveryAttempt.class.getName());

    /** Sending may take 1/TIME_SHARE of the transaction's time; the rest is for the settlement. */
    private static final int TIME_SHARE = 2;

    private final DeliveryContext context;
    private final Environment environment;
    private final List<OutboxMessage> messages;
    private final long start;

    private final List<OutboxMessage> through = new ArrayList<>();
    private final List<OutboxMessage> sent = new ArrayList<>();
    private final List<OutboxMessage> expired = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    private final Map<Long, String> brokerIds = new HashMap<>();
    private final Set<String> blockedKeys = new HashSet<>();
    private List<OutboxMessage> untried = List.of();
    private Failure suspect;
    private PublishException destinationFull;
    private PublishException outcomeUnknown;
    private boolean isRefused;
    private long sendNanos;

    private List<Charge> charges = List.of();
    private Map<Long, String> unreadable = Map.of();
    private SettlementResult changes = new SettlementResult(Set.of(), Set.of());
    private boolean isReadyToCommit;

    DeliveryAttempt(DeliveryContext context, List<OutboxMessage> messages) {
        this.context = context;
        this.environment = context.environment();
        start = environment.nanoTime();
        this.messages = messages;
    }

    /**
     * Sends the messages until all are tried, the time is over, or the destination accepts no more.
     *
     * @param timeLeft the time until the container rolls the transaction back; null if unknown
     * @throws PublishException if the transaction must roll back: the destination is to blame, or the broker may have a
     *     message that failed
     */
    void send(Duration timeLeft) throws PublishException {
        long opened = environment.nanoTime();
        try (OutboxPublisher.Sender sender = environment.open(context.target())) {
            long begin = environment.nanoTime();
            long end = begin + maxSendNanos(timeLeft, begin - opened);
            try {
                int next = 0;
                while (next < messages.size() && isOpen() && !isOver(next, end)) {
                    sendOrExpire(sender, messages.get(next));
                    next++;
                }
                untried = messages.subList(next, messages.size());
            } finally {
                sendNanos = environment.nanoTime() - begin;
            }
        }
        isRefused = outcomeUnknown != null;
        if (isRefused) {
            throw outcomeUnknown;
        }
    }

    /** @param openNanos the part of the transaction's time that the connection took */
    private static long maxSendNanos(Duration timeLeft, long openNanos) {
        return timeLeft == null
                ? MAX_SEND_TIME.toNanos()
                : Math.min(MAX_SEND_TIME.toNanos(), timeLeft.toNanos() / TIME_SHARE - openNanos);
    }

    private boolean isOpen() {
        return suspect == null && destinationFull == null;
    }

    private boolean isOver(int next, long end) {
        // Send the first message in any case: a slow connection must not end every attempt without a send.
        return next > 0 && environment.nanoTime() - end > 0 || environment.isStopping() && !sent.isEmpty();
    }

    /** @throws PublishException if the destination is to blame */
    private void sendOrExpire(OutboxPublisher.Sender sender, OutboxMessage message) throws PublishException {
        if (blockedKeys.contains(message.orderingKey())) {
            return;
        }
        OutboxMessage now = withTimeLeft(message, context.clock());
        if (now.terms().isExpired()) {
            through.add(message);
            expired.add(message);
            return;
        }
        PublishException failure = call(() -> sender.send(now));
        if (failure != null) {
            judge(new Failure(message, failure));
            return;
        }
        through.add(message);
        sent.add(message);
        String brokerId = sender.lastBrokerMessageId();
        if (brokerId != null) {
            brokerIds.put(message.sequence(), brokerId);
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

    /** @throws PublishException if the destination is to blame */
    private void judge(Failure failure) throws PublishException {
        PublishException cause = failure.cause();
        switch (cause.blame()) {
            case MESSAGE -> refused(failure);
            case DESTINATION -> throw cause;
            case DESTINATION_FULL -> destinationFull = cause;
            case UNKNOWN -> {
                outcomeUnknown = outcomeUnknown == null ? cause : outcomeUnknown;
                if (isAnswering(cause)) {
                    refused(failure);
                } else {
                    suspect = failure;
                }
            }
        }
    }

    private void refused(Failure failure) {
        failures.add(failure);
        if (failure.message().orderingKey() != null) {
            blockedKeys.add(failure.message().orderingKey());
        }
    }

    /** Whether the destination accepts a probe in the current transaction, which rolls back in any case. */
    private boolean isAnswering(PublishException why) {
        PublishException failure = call(() -> environment.probe(context.target()));
        if (failure != null) {
            why.addSuppressed(failure);
        }
        return failure == null;
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

    /** The messages that were sent or have expired, in order. */
    List<OutboxMessage> through() {
        return through;
    }

    /** The messages of {@link #through} as two attempts, each key in order; empty if there are fewer than two. */
    List<DeliveryAttempt> halves() {
        int middle = through.size() / 2;
        return middle == 0 ? List.of() : List.of(part(0, middle), part(middle, through.size()));
    }

    private DeliveryAttempt part(int from, int to) {
        DeliveryAttempt part = new DeliveryAttempt(context, List.of());
        part.through.addAll(through.subList(from, to));
        part.sent.addAll(part.through);
        part.sent.removeAll(expired);
        part.expired.addAll(part.through);
        part.expired.retainAll(expired);
        part.sent.forEach(message -> part.brokerIds.computeIfAbsent(message.sequence(), brokerIds::get));
        return part;
    }

    /** The messages at fault: the send failed although the destination answered. */
    List<Failure> failures() {
        return failures;
    }

    /** The messages that the attempt did not reach. */
    List<OutboxMessage> untried() {
        return untried;
    }

    /** A failed message after which the destination did not answer in the same transaction; null if there is none. */
    Failure suspect() {
        return suspect;
    }

    /** The reason why the destination accepted no further message; null if it was not full. */
    PublishException destinationFull() {
        return destinationFull;
    }

    /** Whether the transaction rolls back because the broker may have a message that failed. */
    boolean isRefused() {
        return isRefused;
    }

    /** The duration of the sends, in nanoseconds. */
    long sendNanos() {
        return sendNanos;
    }

    /**
     * Settles in the current transaction.
     *
     * @param failed the messages to charge
     * @param unreadable the reasons by sequence
     */
    void settle(List<Failure> failed, Map<Long, String> unreadable) {
        RetryPolicy retry = context.retry();
        charges = failed.stream()
                .map(f -> new Charge(f.message(), retry.charge(f.message(), f.cause(), Problem.reason(f.cause()))))
                .toList();
        this.unreadable = unreadable;
        List<Retry> retries =
                new ArrayList<>(charges.stream().map(Charge::retry).toList());
        unreadable.forEach((sequence, problem) -> retries.add(retry.abandon(sequence, problem)));
        changes = environment
                .store()
                .settle(
                        new Settlement(
                                sequences(sent),
                                sequences(expired),
                                retries,
                                context.config().retention(),
                                context.shadow(),
                                brokerIds),
                        context.lease());
    }

    private static List<Long> sequences(List<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::sequence).toList();
    }

    /** The charged messages. */
    List<OutboxMessage> charged() {
        return charges.stream().map(Charge::message).toList();
    }

    /** Messages that were sent although an operator had discarded them. */
    Set<Long> discarded() {
        return changes.discarded();
    }

    /** Records that only the commit is left. */
    void readyToCommit() {
        isReadyToCommit = true;
    }

    boolean isReadyToCommit() {
        return isReadyToCommit;
    }

    /** Notifies the listeners. Call this after the commit of the settlement. */
    void notifyListeners() {
        String label = context.label();
        Instant now = context.clock().now();
        if (!sent.isEmpty() && context.shadow() == null) {
            Duration took = Duration.ofNanos(environment.nanoTime() - start);
            environment.notifyEach(l -> l.published(label, sent, now, took));
        } else if (!sent.isEmpty()) {
            environment.notifyEach(l -> l.shadowed(label, context.shadow(), sent));
        }
        sent.stream()
                .filter(message -> discarded().contains(message.sequence()))
                .forEach(message -> environment.notifyEach(l -> l.discardedTooLate(label, message)));
        expired.stream()
                .filter(message -> !isLeft(message.sequence()))
                .forEach(message -> environment.notifyEach(l -> l.expired(label, message)));
        charges.stream()
                .filter(charge -> !isLeft(charge.retry().sequence()))
                .forEach(
                        charge -> environment.notifyEach(l -> l.charged(label, charge.message(), charge.retry(), now)));
        unreadable.forEach((sequence, problem) -> {
            if (!isLeft(sequence)) {
                LOG.severe(Problem.UNREADABLE_ROW.text(label, sequence, problem));
                environment.notifyEach(l -> l.unreadable(label, sequence, problem));
            }
        });
    }

    private boolean isLeft(long sequence) {
        return changes.leftUnchanged().contains(sequence);
    }

    /** A charge, unless an operator changed the message first. */
    private record Charge(OutboxMessage message, Retry retry) {}
}

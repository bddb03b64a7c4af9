package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * The result of publishing a batch: the messages sent, expired, and to be charged. Other messages stay in their queues.
 *
 * @param brokerIds the broker's message ids by sequence, as far as they are recorded
 * @param next the first message that the batch did not reach; null if it reached all
 */
record SendResult(
        List<OutboxMessage> messages,
        List<OutboxMessage> expired,
        List<Failure> failures,
        Map<Long, String> brokerIds,
        OutboxMessage next) {
    static final SendResult EMPTY = new SendResult(List.of(), List.of(), List.of());

    SendResult {
        messages = List.copyOf(messages);
        expired = List.copyOf(expired);
        failures = List.copyOf(failures);
        brokerIds = Map.copyOf(brokerIds);
    }

    /** Without the broker's message ids. */
    SendResult(List<OutboxMessage> messages, List<OutboxMessage> expired, List<Failure> failures) {
        this(messages, expired, failures, Map.of(), null);
    }

    /** The result after the successful messages were sent again in another transaction. */
    SendResult replacedBy(SendResult again) {
        return new SendResult(
                again.messages,
                both(expired, again.expired),
                both(failures, again.failures),
                again.brokerIds,
                again.next == null ? next : again.next);
    }

    /** Before more of the batch is sent. */
    SendResult withoutNext() {
        return new SendResult(messages, expired, failures, brokerIds, null);
    }

    /** Whether no message was sent and none is charged. */
    boolean isEmpty() {
        return messages.isEmpty() && failures.isEmpty();
    }

    /** And one more that failed. */
    SendResult with(Failure failure) {
        return new SendResult(messages, expired, both(failures, List.of(failure)), brokerIds, next);
    }

    /**
     * Removes charges of messages whose predecessor in the same key was neither sent nor charged. A charged message
     * gets a blocked key or is abandoned; either would let it overtake its predecessor.
     *
     * @param batch in its order
     */
    SendResult inKeyOrder(List<OutboxMessage> batch) {
        Set<Long> done = new HashSet<>();
        messages.forEach(message -> done.add(message.sequence()));
        expired.forEach(message -> done.add(message.sequence()));
        failures.forEach(failure -> done.add(failure.message().sequence()));
        Set<String> left = new HashSet<>();
        Set<Long> early = new HashSet<>();
        for (OutboxMessage message : batch) {
            if (message.orderingKey() != null && !done.contains(message.sequence())) {
                left.add(message.orderingKey());
            } else if (left.contains(message.orderingKey())) {
                early.add(message.sequence());
            }
        }
        List<Failure> charged = failures.stream()
                .filter(failure -> !early.contains(failure.message().sequence()))
                .toList();
        return new SendResult(messages, expired, charged, brokerIds, next);
    }

    /** Removes charges for an unknown reason, since the destination may be the cause. */
    SendResult withoutCharge(Set<Long> sequences) {
        List<Failure> others = failures.stream()
                .filter(failure -> failure.cause().blame() != Blame.UNKNOWN
                        || !sequences.contains(failure.message().sequence()))
                .toList();
        return new SendResult(messages, expired, others, brokerIds, next);
    }

    private static <T> List<T> both(List<T> some, List<T> others) {
        List<T> both = new ArrayList<>(some);
        both.addAll(others);
        return both;
    }

    /** A message that was not sent. */
    record Failure(OutboxMessage message, PublishException cause) {}
}

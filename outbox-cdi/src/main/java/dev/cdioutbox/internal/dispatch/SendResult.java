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
 * What a publisher made of a batch: what went out, what came too late, and what is charged; the rest was left where it is.
 *
 * @param brokerIds what the broker calls what went out, by sequence, as far as it is to be kept
 * @param next the first message that the batch did not come to, since it ended before; null if it came to all
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

    /** Nobody knows what the broker calls them. */
    SendResult(List<OutboxMessage> messages, List<OutboxMessage> expired, List<Failure> failures) {
        this(messages, expired, failures, Map.of(), null);
    }

    /** What became of it when what got through is sent once more, in another transaction. */
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

    /** Neither did a message get through nor is one to blame. */
    boolean isEmpty() {
        return messages.isEmpty() && failures.isEmpty();
    }

    /** And one more that failed. */
    SendResult with(Failure failure) {
        return new SendResult(messages, expired, both(failures, List.of(failure)), brokerIds, next);
    }

    /**
     * Without charges out of turn: a message is not charged while one before it in the order of its key was left where it is,
     * as the last pass may do that ends early. Behind a blocked key of its own, or given up, it would come before that one.
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

    /** Without charges that nothing tells from a destination that takes no more. */
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

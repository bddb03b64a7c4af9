package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;

/**
 * What a publisher made of a batch: what went out, what came too late, and what is charged; the rest was left where it is.
 *
 * @param brokerIds what the broker calls what went out, by sequence, as far as it is to be kept
 * @param next the first message that the batch did not come to, since it ended before; null if it came to all
 */
record Sent(
        List<OutboxMessage> messages,
        List<OutboxMessage> expired,
        List<Failure> failures,
        Map<Long, String> brokerIds,
        OutboxMessage next) {
    static final Sent NOTHING = new Sent(List.of(), List.of(), List.of());

    Sent {
        messages = List.copyOf(messages);
        expired = List.copyOf(expired);
        failures = List.copyOf(failures);
        brokerIds = Map.copyOf(brokerIds);
    }

    /** Nobody knows what the broker calls them. */
    Sent(List<OutboxMessage> messages, List<OutboxMessage> expired, List<Failure> failures) {
        this(messages, expired, failures, Map.of(), null);
    }

    /** What became of it when what got through is sent once more, in another transaction. */
    Sent sentAgain(Sent again) {
        return new Sent(
                again.messages,
                both(expired, again.expired),
                both(failures, again.failures),
                again.brokerIds,
                again.next == null ? next : again.next);
    }

    /** Before more of the batch is sent. */
    Sent goesOn() {
        return new Sent(messages, expired, failures, brokerIds, null);
    }

    /** Neither did a message get through nor is one to blame. */
    boolean isNothing() {
        return messages.isEmpty() && failures.isEmpty();
    }

    /** And one more that failed. */
    Sent with(Failure failure) {
        return new Sent(messages, expired, both(failures, List.of(failure)), brokerIds, next);
    }

    private static <T> List<T> both(List<T> some, List<T> others) {
        List<T> both = new ArrayList<>(some);
        both.addAll(others);
        return both;
    }

    /** A message that was not sent. */
    record Failure(OutboxMessage message, PublishException cause) {}
}

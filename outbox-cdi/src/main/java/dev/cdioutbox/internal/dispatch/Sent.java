package dev.cdioutbox.internal.dispatch;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;

/**
 * What a publisher made of a batch: what went out, what came too late, and what is charged; the rest was left where it is.
 *
 * @param brokerIds what the broker calls what went out, by sequence, as far as it is to be kept
 */
record Sent(
        List<OutboxMessage> messages,
        List<OutboxMessage> expired,
        List<Failure> failures,
        Map<Long, String> brokerIds) {

    Sent {
        messages = List.copyOf(messages);
        expired = List.copyOf(expired);
        failures = List.copyOf(failures);
        brokerIds = Map.copyOf(brokerIds);
    }

    /** Nobody knows what the broker calls them. */
    Sent(List<OutboxMessage> messages, List<OutboxMessage> expired, List<Failure> failures) {
        this(messages, expired, failures, Map.of());
    }

    /** A message that was not sent. */
    record Failure(OutboxMessage message, PublishException cause) {}
}

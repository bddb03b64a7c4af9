package dev.cdioutbox.internal.dispatch.delivery;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.publish.PublisherCall;
import dev.cdioutbox.spi.PublishException;

/** A failed message with the cause. */
record Failure(OutboxMessage message, PublishException cause) {

    /**
     * What the completion of a batch has reported, in the order of the sends.
     *
     * @param reported the causes by their messages
     * @throws RuntimeException if the publisher names a message that it was not given, or no cause
     */
    static List<Failure> of(Map<OutboxMessage, PublishException> reported, List<OutboxMessage> sent) {
        Map<Long, PublishException> causes = new HashMap<>();
        reported.forEach((message, cause) -> causes.put(message.sequence(), PublisherCall.ofNode(cause)));
        List<Failure> failures = sent.stream()
                .filter(message -> causes.containsKey(message.sequence()))
                .map(message -> new Failure(message, causes.get(message.sequence())))
                .toList();
        if (failures.size() < causes.size()) {
            throw new IllegalArgumentException("failures of messages that were not sent: " + causes);
        }
        return failures;
    }
}

package dev.cdioutbox.internal.dispatch;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;

/** What a publisher made of a batch: what went out, what came too late, and what is charged; the rest was left where it is. */
record Sent(List<OutboxMessage> messages, List<OutboxMessage> expired, List<Failure> failures) {

    Sent {
        messages = List.copyOf(messages);
        expired = List.copyOf(expired);
        failures = List.copyOf(failures);
    }

    /** A message that was not sent. */
    record Failure(OutboxMessage message, PublishException cause) {}
}

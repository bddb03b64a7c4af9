package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;

/** What a publisher made of a batch: what went out, what came too late, and what is charged; the rest was left where it is. */
record Sent(List<OutboxMessage> messages, List<OutboxMessage> expired, List<Failure> failures) {
    static final Sent NOTHING = new Sent(List.of(), List.of(), List.of());

    Sent {
        messages = List.copyOf(messages);
        expired = List.copyOf(expired);
        failures = List.copyOf(failures);
    }

    /** What became of it when what got through is sent once more, in another transaction. */
    Sent sentAgain(Sent again) {
        return new Sent(again.messages, both(expired, again.expired), both(failures, again.failures));
    }

    private static <T> List<T> both(List<T> some, List<T> others) {
        List<T> both = new ArrayList<>(some);
        both.addAll(others);
        return both;
    }

    /** A message that was not sent. */
    record Failure(OutboxMessage message, PublishException cause) {}
}

package dev.cdioutbox.tests.bench.app;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An event for the queue of {@link TimedBean}. */
@OutboxEvent(destination = "timed")
public record Timed(@OutboxKey String account, String text) implements BenchEvent {
    @Override
    public String queue() {
        return "jms/timed";
    }
}

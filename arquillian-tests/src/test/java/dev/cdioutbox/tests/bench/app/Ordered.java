package dev.cdioutbox.tests.bench.app;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An event for a queue that no consumer reads during a block. */
@OutboxEvent
public record Ordered(@OutboxKey String account, String text) implements BenchEvent {
    @Override
    public String queue() {
        return "jms/raw";
    }
}

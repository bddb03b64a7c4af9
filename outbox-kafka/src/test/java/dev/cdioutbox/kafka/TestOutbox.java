package dev.cdioutbox.kafka;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.observe.trace.TelemetryTraces;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;

/** An outbox whose destinations are topics of a broker. */
public final class TestOutbox {
    private TestOutbox() {}

    static OutboxConfig config(Broker broker, String... keysAndValues) {
        List<String> all = new ArrayList<>(List.of(
                "outbox.transport",
                "kafka",
                "outbox.dispatcher.delivery",
                "at-least-once",
                "outbox.kafka.bootstrap.servers",
                broker.address(),
                // A broker that is away does not answer later either.
                "outbox.kafka.max.block.ms",
                "1000",
                "outbox.kafka.request.timeout.ms",
                "1000",
                "outbox.kafka.delivery.timeout.ms",
                "2000"));
        all.addAll(Arrays.asList(keysAndValues));
        return TestConfig.of(all.toArray(String[]::new));
    }

    public static KafkaPublisher publisher(OutboxConfig config) {
        OutboxInstance outbox = new OutboxInstance("default", new CurrentConfig(config), (JdbcOutboxStore) null);
        return new KafkaPublisher(new Outboxes(List.of(outbox)), new TelemetryTraces());
    }
}

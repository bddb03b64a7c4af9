package dev.cdioutbox.internal.ejb;

import java.util.Map;
import java.util.function.Supplier;

import dev.cdioutbox.internal.capture.RecordingStore;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.store.node.ThisNode;

/** Outboxes and dispatchers without a database. */
final class TestDispatcher {
    private TestDispatcher() {}

    static OutboxInstance outbox(String name, String... keysAndValues) {
        CurrentConfig config = new CurrentConfig(TestConfig.of(keysAndValues));
        return new OutboxInstance(name, config, new RecordingStore().opened());
    }

    static Dispatcher of(Supplier<OutboxConfig> config) {
        ThisNode node = new ThisNode("node", "shop", "host", "server", 1, "1.0");
        return new Dispatcher(
                new RecordingStore().opened(), Map.of(), node, config, new Environment(null, () -> false));
    }
}

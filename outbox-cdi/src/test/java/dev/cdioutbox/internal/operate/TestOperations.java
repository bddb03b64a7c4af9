package dev.cdioutbox.internal.operate;

import java.lang.reflect.Proxy;
import java.util.List;

import jakarta.enterprise.inject.Instance;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.consume.PausedConsumers;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.capture.CaptureStore;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;

/** The operations on a test database's store without a server and without a caller. Each statement is a transaction. */
public final class TestOperations extends TransactionalOperations {
    private final OutboxInstance outbox;

    public TestOperations(JdbcOutboxStore store) {
        this(store, store.capture());
    }

    /** @param writing writes the copies of messages */
    @SuppressWarnings("unchecked")
    public TestOperations(JdbcOutboxStore store, CaptureStore writing) {
        CurrentConfig config = new CurrentConfig(TestConfig.of("outbox.destinations.audit.jndi", "jms/audit"));
        outbox = new OutboxInstance("default", config, store);
        onDefault(outboxes());
        this.capture = writing;
        this.gauges = new Gauges();
        this.paused = new PausedConsumers();
        this.caller = answering(Instance.class, false);
        this.acting = answering(Instance.class, false);
    }

    public Outboxes outboxes() {
        return new Outboxes(List.of(outbox));
    }

    public Gauges gauges() {
        return gauges;
    }

    @Override
    TransactionSynchronizationRegistry transactions() {
        return answering(TransactionSynchronizationRegistry.class, null);
    }

    private static <T> T answering(Class<T> type, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer));
    }
}

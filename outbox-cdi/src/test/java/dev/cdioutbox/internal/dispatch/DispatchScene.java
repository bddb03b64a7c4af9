package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.store.JdbcOutboxStore;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;

/** A real store in a fresh database, a broker and transactions that obey, and one dispatcher between them. */
final class DispatchScene implements AutoCloseable {
    private static final Logger QUIET = Logger.getLogger("dev.cdioutbox");

    static {
        // What fails here is meant to.
        QUIET.setLevel(Level.OFF);
    }

    final TestDatabase database;
    final FakeBroker broker = new FakeBroker();
    final FakeTransactions transactions;
    final OutboxConfig config;
    final JdbcOutboxStore store;
    final Dispatcher dispatcher;
    final DestinationWorker worker = new DestinationWorker(TestMessages.DESTINATION);

    /** @param keysAndValues what is configured otherwise than by default */
    DispatchScene(String... keysAndValues) {
        this(new TestDatabase(), keysAndValues);
    }

    DispatchScene(TestDatabase database, String... keysAndValues) {
        this.database = database;
        transactions = new FakeTransactions(database.dataSource(), broker);
        config = config(keysAndValues);
        store = JdbcOutboxStore.open(
                transactions.dataSource(), config.store(), config.destinations().keySet());
        dispatcher = dispatcher("node-1");
    }

    static OutboxConfig config(String... keysAndValues) {
        // The machine's clock decides nothing: no retry becomes due, and no poll is late, unless a test says when.
        List<String> all = new ArrayList<>(List.of(
                "outbox.table-prefix",
                TestDatabase.PREFIX,
                "outbox.retry.base-delay",
                "PT10M",
                "outbox.dispatcher.interval",
                "PT1H"));
        all.addAll(Arrays.asList(keysAndValues));
        return TestConfig.of(all.toArray(String[]::new));
    }

    Dispatcher dispatcher(String node) {
        return new Dispatcher(store, broker, transactions, new NodeIdentity(node, "host", "server", 1, "1.0"));
    }

    void write(List<NewMessage> messages) {
        store.write(messages);
    }

    void write(String key, String text) {
        store.write(List.of(TestMessages.message(key, text)));
    }

    Throwable run() {
        return dispatcher.run(worker, () -> config, () -> false);
    }

    String column(String column, String text) {
        return database.query("SELECT " + column + " FROM shop_message WHERE payload = ?", text)
                .get(0);
    }

    @Override
    public void close() {
        // PostgreSQL's database is taken again: a thread that a test left behind must not come to it.
        transactions.stop();
        transactions.takeDatabaseAway();
        database.close();
    }
}

package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.spi.OutboxPublisher;

/** A store in a fresh database, a fake broker and fake transactions, and a dispatcher between them. */
public final class DispatchScene implements AutoCloseable {
    private static final Logger QUIET = Logger.getLogger("dev.cdioutbox");

    static {
        // The tests provoke these failures, so their log lines are of no use.
        QUIET.setLevel(Level.OFF);
    }

    public final TestDatabase database;
    public final FakeBroker broker = new FakeBroker();
    public final FakeTransactions transactions;
    public final OutboxConfig config;
    public final JdbcOutboxStore store;
    public final Dispatcher dispatcher;
    final DestinationWorker worker;
    private volatile Supplier<OutboxConfig> inForce;
    private volatile BooleanSupplier stopping = () -> false;

    /** @param keysAndValues the settings that differ from the defaults */
    public DispatchScene(String... keysAndValues) {
        this(new TestDatabase(), keysAndValues);
    }

    public DispatchScene(TestDatabase database, String... keysAndValues) {
        this(database, database.dataSource(), System::nanoTime, keysAndValues);
    }

    /**
     * @param connections to this database
     * @param nanos the clock of the store's periodic queries
     */
    DispatchScene(TestDatabase database, DataSource connections, LongSupplier nanos, String... keysAndValues) {
        this.database = database;
        transactions = new FakeTransactions(connections, broker);
        config = config(keysAndValues);
        store = JdbcOutboxStore.open(
                transactions.dataSource(), config.store(), config.destinations().keySet(), nanos);
        inForce = () -> config;
        dispatcher = dispatcher("node-1");
        worker = workerOf(dispatcher);
    }

    public static OutboxConfig config(String... keysAndValues) {
        return TestConfig.of(withDefaults(keysAndValues));
    }

    /** The configuration of an outbox with a name. */
    static OutboxConfig configOf(String outbox, String... keysAndValues) {
        return TestConfig.ofOutbox(outbox, withDefaults(keysAndValues));
    }

    private static String[] withDefaults(String... keysAndValues) {
        // The machine's clock decides nothing: a retry becomes due, or a poll late, only when a test says so. A test
        // that runs the worker on several threads at a time sets the concurrency itself.
        List<String> all = new ArrayList<>(List.of(
                "outbox.table-prefix",
                TestDatabase.PREFIX,
                "outbox.retry.base-delay",
                "PT10M",
                "outbox.dispatcher.interval",
                "PT1H",
                "outbox.dispatcher.concurrency",
                "1"));
        all.addAll(Arrays.asList(keysAndValues));
        return all.toArray(String[]::new);
    }

    /** A dispatcher with the configuration and the stop signal of this scene. */
    public Dispatcher dispatcher(String node) {
        return dispatcher(node, this::inForce, this::isStopping);
    }

    public Dispatcher dispatcher(String node, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        return new Dispatcher(
                store,
                transports(broker),
                new ThisNode(node, "shop", "host", "server", 1, "1.0"),
                config,
                new Environment(transactions, stopping));
    }

    /** The dispatcher of a second node, with the configuration and the stop signal of this scene. */
    public Dispatcher dispatcher(OutboxPublisher publisher, LongSupplier nanos, List<DispatchListener> listeners) {
        return new Dispatcher(
                store,
                transports(publisher),
                new ThisNode("node-2", "shop", "host", "server", 2, "1.0"),
                this::inForce,
                environment(nanos, listeners));
    }

    private static Map<String, OutboxPublisher> transports(OutboxPublisher publisher) {
        return Map.of("jms", publisher, "local", publisher);
    }

    public Environment environment(LongSupplier nanos, List<DispatchListener> listeners) {
        return new Environment(transactions, listeners, this::isStopping, nanos);
    }

    public static DestinationWorker workerOf(Dispatcher dispatcher) {
        return dispatcher.workers().get(TestMessages.DESTINATION);
    }

    OutboxConfig inForce() {
        return inForce.get();
    }

    boolean isStopping() {
        return stopping.getAsBoolean();
    }

    /** Sets the configuration that is in force from now on. */
    public void configure(Supplier<OutboxConfig> config) {
        inForce = config;
    }

    /** From now on each run ends after the batch in which this becomes true. */
    public void stopWhen(BooleanSupplier stopping) {
        this.stopping = stopping;
    }

    public void write(List<NewMessage> messages) {
        store.capture().write(messages);
    }

    public void write(String key, String text) {
        store.capture().write(List.of(TestMessages.message(key, text)));
    }

    public Throwable run() {
        return worker.poll();
    }

    /** Runs the worker once with another configuration and stop signal. */
    public Throwable run(Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        return run(worker, config, stopping);
    }

    /** Runs a worker of a dispatcher of this scene. */
    Throwable run(DestinationWorker worker, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        Supplier<OutboxConfig> before = inForce;
        inForce = config;
        this.stopping = stopping;
        try {
            return worker.poll();
        } finally {
            inForce = before;
            this.stopping = () -> false;
        }
    }

    public String column(String column, String text) {
        return column("message_view", column, text);
    }

    public String column(String table, String column, String text) {
        String rows = "SELECT %s FROM shop_%s WHERE seq = %d";
        return database.query(rows.formatted(column, table, database.sequence(text)))
                .get(0);
    }

    /** The statuses that occur in a partition. */
    List<String> statuses(int partition) {
        return database.query(
                "SELECT DISTINCT status FROM shop_message_view"
                        + " WHERE seq IN (SELECT m.seq FROM shop_message m WHERE MOD(m.partition_id, 4096) = ?)",
                PartitionIds.FIRST_OF_KEYS + partition);
    }

    @Override
    public void close() {
        // A later test reuses PostgreSQL's database: a thread that this test left behind must not reach that test.
        transactions.stop();
        transactions.takeDatabaseAway();
        database.close();
    }
}

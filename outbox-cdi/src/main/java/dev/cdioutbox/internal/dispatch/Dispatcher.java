package dev.cdioutbox.internal.dispatch;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Listeners;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.opening.DestinationOpening;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.ThisNode;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Dispatches one outbox on this node: a worker for each destination, and the heartbeat, the sweep, the leases, and the
 * periodic reads for health checks and metrics. Plain Java: the caller passes the container's transactions and threads.
 * Thread-safe.
 */
public final class Dispatcher {
    /** The configuration at the start. */
    private final OutboxConfig started;

    private final JdbcOutboxStore store;
    private final Transactions transactions;
    private final Listeners listeners;
    /** By the names of their destinations. */
    private final Map<String, DestinationWorker> workers = new TreeMap<>();

    private final Heartbeat heartbeat;
    private final LeaseRenewal leases;
    private final NodeWatch nodes;
    private final BacklogWatch backlog;
    private final CdcWatch cdc;
    private final SweepTask sweep;
    private final BackfillTask backfills;

    /**
     * The destinations of the current configuration get the workers.
     *
     * @param publishers the application's publishers by their transports. They serve several outboxes
     * @param current supplies the current configuration
     */
    public Dispatcher(
            JdbcOutboxStore store,
            Map<String, OutboxPublisher> publishers,
            ThisNode node,
            Supplier<OutboxConfig> current,
            Environment environment) {
        this(
                store,
                publishers,
                node,
                current,
                environment,
                () -> Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime()));
    }

    /** @param uptime the time since this process started; a test runs several nodes in one JVM */
    public Dispatcher(
            JdbcOutboxStore store,
            Map<String, OutboxPublisher> publishers,
            ThisNode node,
            Supplier<OutboxConfig> current,
            Environment environment,
            Supplier<Duration> uptime) {
        started = current.get();
        this.store = store;
        transactions = environment.transactions();
        listeners = environment.listeners();
        BooleanSupplier stopping = environment.stopping();
        CrashRecovery crashRecovery = new CrashRecovery(environment, node, current, store, uptime);
        AtomicBoolean isAlone = new AtomicBoolean();
        heartbeat = new Heartbeat(node, store.nodes(), transactions, stopping, crashRecovery, this::partitionsHeld);
        leases = new LeaseRenewal(started.outbox(), store.claims(), environment);
        nodes = new NodeWatch(node, store.nodes(), store.probes(), transactions, current, isAlone);
        backlog = new BacklogWatch(store.status(), transactions, listeners, started);
        cdc = new CdcWatch(
                store.cdc(),
                publishers.get(DestinationConfig.KAFKA) instanceof TopicReader topics ? topics : null,
                transactions,
                listeners,
                current,
                stopping,
                environment.nanos());
        sweep = new SweepTask(store.sweeps(), store.inbox(), transactions, current, stopping, environment.nanos());
        backfills = new BackfillTask(store.backfills(), transactions, current, stopping);
        for (String destination : started.dispatch().keySet()) {
            workers.put(destination, worker(destination, publishers, current, environment, crashRecovery, isAlone));
        }
        addListener(new DispatchListener() {
            @Override
            public void deadLettered(DestinationId destination, List<NewMessage> copies) {
                wake(copies);
            }
        });
    }

    private DestinationWorker worker(
            String destination,
            Map<String, OutboxPublisher> publishers,
            Supplier<OutboxConfig> current,
            Environment environment,
            CrashRecovery crashRecovery,
            AtomicBoolean isAlone) {
        DestinationId id = started.destinationId(destination);
        DestinationOpening opening = new DestinationOpening(id, store, publishers, environment, crashRecovery);
        InDoubtMonitor inDoubt =
                new InDoubtMonitor(id, store.settlements(), transactions, listeners, environment.nanos());
        DueTimer dueTimer = new DueTimer(
                () -> transactions.outside(() -> store.delayed().untilNextDue(destination)), environment.nanos());
        DeliveryCycle cycle = new DeliveryCycle(
                environment,
                store.claims(),
                store.settlements(),
                store.delayed(),
                isAlone,
                opening,
                crashRecovery,
                inDoubt,
                dueTimer);
        return new DestinationWorker(id, current, environment, store.claims(), opening, cycle, inDoubt, dueTimer);
    }

    private int partitionsHeld() {
        return workers.values().stream()
                .mapToInt(DestinationWorker::partitionsHeld)
                .sum();
    }

    /** The workers by the names of their destinations. */
    public Map<String, DestinationWorker> workers() {
        return Collections.unmodifiableMap(workers);
    }

    public void addListener(DispatchListener listener) {
        listeners.add(listener);
    }

    /**
     * Sets the executor that gives the workers further threads: to join a run while there may be a second batch, up to
     * {@code outbox.dispatcher.concurrency}; to continue at the end of a thread's time slice; and after a commit.
     * Without this setting, a run has only the threads of its callers, and lasts until nothing is due.
     */
    public void useThreads(Executor threads) {
        useThreads(threads, Environment.TIME_SLICE);
    }

    void useThreads(Executor threads, Duration timeSlice) {
        workers.values().forEach(worker -> worker.useThreads(threads, timeSlice));
    }

    /**
     * Sets the timer that calls {@link DestinationWorker#wakeForDue} after some time, when a delayed message or a retry
     * is due. Without this setting, such messages wait for the next poll.
     */
    public void useTimer(BiConsumer<DestinationWorker, Duration> timer) {
        workers.values().forEach(worker -> worker.useTimer(timer));
    }

    /** Wakes the workers of committed messages, which look in the partitions of these messages. */
    public void wake(List<NewMessage> messages) {
        messages.stream()
                .collect(Collectors.groupingBy(NewMessage::destination))
                .forEach((destination, some) -> {
                    DestinationWorker worker = workers.get(destination);
                    if (worker != null) {
                        worker.wake(some);
                    }
                });
    }

    /**
     * Writes this node's row. Call this before the first run, and then often, on a thread that nothing else can block: others
     * take a node without a heartbeat for dead.
     */
    public void writeHeartbeat() {
        heartbeat.write();
    }

    /**
     * Deletes this node's row, so that the next process does not assume a crash. Call this after the signal to stop; no
     * delivery may begin after this call. The container's transactions may be gone already. A process that has not
     * finished recovery after an earlier crash leaves its row: the next process must recover as if this one had crashed.
     */
    public void deleteNodeRow() {
        heartbeat.deleteRow();
    }

    /** Tells the listeners that time has passed. Never blocks. */
    public void tick() {
        listeners.notifyEach(DispatchListener::ticked);
    }

    /**
     * Renews the leases of batches in flight. Call this often, on a thread that no broker can block: a renewal that fails is
     * tried again at the next call only.
     */
    public void renewLeases() {
        leases.renew();
    }

    /** Checks the tables that store events, and notifies the listeners. */
    public void checkTables() {
        String problem;
        try {
            problem = transactions.outside(store::problem);
        } catch (Exception e) {
            problem = FailureReason.of(e);
        }
        String found = problem;
        listeners.notifyEach(l -> l.storeChecked(started.outbox(), found));
    }

    /**
     * Reads the backlog and checks the rows in doubt, on the dispatcher's connections. Separate from
     * {@link #checkTables}, since capture works even if the dispatcher's pool is exhausted. Each step is a separate
     * container call and returns its connection: a held connection could block business threads when the pool is
     * exhausted.
     */
    public void refreshBacklog() {
        backlog.refresh();
        cdc.refresh();
        workers.values().forEach(worker -> worker.inDoubt().refresh());
    }

    /** Looks for other nodes, and logs once what is wrong with the nodes. */
    public void checkNodes() {
        nodes.look();
    }

    /**
     * Continues backfills that run. A failure is only logged.
     *
     * @return whether more can be copied at once
     */
    public boolean backfill() {
        return backfills.copy();
    }

    /** Whether a backfill may be running, by the last backlog. */
    public boolean mayBackfill() {
        return backlog.isAnyPaused();
    }

    /**
     * Deletes or archives messages whose retention is over. A failure is only logged.
     *
     * @return whether more can be removed at once
     */
    public boolean sweep() {
        return sweep.sweep();
    }
}

package dev.cdioutbox.internal.dispatch;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Listeners;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.transport.TopicReader;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Dispatches one outbox on this node: a worker for each destination, and a class for each task beside them. Who calls them, and
 * how often, is in {@code ejb.OutboxTimer}. A task that fails logs that, and throws nothing. Plain Java: the caller passes the
 * container's transactions and threads. Thread-safe.
 */
public final class Dispatcher {
    /** By the names of their destinations. */
    private final Map<String, DestinationWorker> workers = new TreeMap<>();

    private final Listeners listeners;
    private final LeaseRenewal leases;
    private final TableWatch tables;
    private final Heartbeat heartbeat;
    private final NodeWatch nodes;
    private final BacklogWatch backlog;
    private final CdcWatch cdc;
    private final List<InDoubtMonitor> inDoubt = new ArrayList<>();
    private final PurgeTask purge;
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
        OutboxConfig started = current.get();
        listeners = environment.listeners();
        leases = new LeaseRenewal(started.outbox(), store.claims(), environment);
        tables = new TableWatch(started.outbox(), store::problem, environment);
        AtomicInteger livingNodes = new AtomicInteger();
        nodes = new NodeWatch(node, store.nodes(), store.probes(), current, environment, livingNodes);
        backlog = new BacklogWatch(store.status(), store.heldUp(), started, environment);
        cdc = new CdcWatch(
                store.cdc(),
                new CdcTopics(topicReader(publishers), store.cdc(), current, environment),
                current,
                environment);
        purge = new PurgeTask(store.purge(), store.inbox(), current, environment);
        backfills = new BackfillTask(store.backfills(), current, environment);

        CrashRecovery crashRecovery = new CrashRecovery(environment, node, current, store, uptime);
        heartbeat = new Heartbeat(node, store.nodes(), environment, crashRecovery, this::partitionsHeld);
        IdleLook idleLook =
                new IdleLook(() -> environment.outside(store.claims()::waitingDestinations), environment.nanos());
        WorkerAssembly assembly =
                new WorkerAssembly(store, publishers, current, environment, crashRecovery, idleLook, livingNodes);
        for (String destination : started.dispatch().keySet()) {
            DestinationId id = started.destinationId(destination);
            InDoubtMonitor monitor = new InDoubtMonitor(id, store.pendingRows(), store.heldUp(), environment);
            inDoubt.add(monitor);
            workers.put(destination, assembly.worker(id, monitor));
        }
        addListener(new DispatchListener() {
            @Override
            public void deadLettered(DestinationId destination, List<NewMessage> copies) {
                wake(copies);
            }
        });
    }

    private static Optional<TopicReader> topicReader(Map<String, OutboxPublisher> publishers) {
        return publishers.get(DestinationConfig.KAFKA) instanceof TopicReader reader
                ? Optional.of(reader)
                : Optional.empty();
    }

    private int partitionsHeld() {
        return workers.values().stream()
                .mapToInt(DestinationWorker::partitionsHeld)
                .sum();
    }

    public void addListener(DispatchListener listener) {
        listeners.add(listener);
    }

    /**
     * Sets the executors that give the workers further threads: to join a run while there may be a second batch, up to
     * {@code outbox.dispatcher.concurrency}; to continue at the end of a thread's time slice; and after a commit.
     * Without this setting, a run has only the threads of its callers, and lasts until nothing is due.
     *
     * @param senders for the destinations at brokers
     * @param handlers for the destinations that are handlers of the application
     */
    public void useThreads(Executor senders, Executor handlers) {
        useThreads(senders, handlers, Environment.TIME_SLICE);
    }

    /** Sets the same executor for all destinations. */
    public void useThreads(Executor threads) {
        useThreads(threads, threads);
    }

    void useThreads(Executor threads, Duration timeSlice) {
        useThreads(threads, threads, timeSlice);
    }

    private void useThreads(Executor senders, Executor handlers, Duration timeSlice) {
        workers.values().forEach(worker -> worker.useThreads(worker.isLocal() ? handlers : senders, timeSlice));
    }

    /**
     * Sets the timer that calls {@link DestinationWorker#wakeForDue} after some time, when a delayed message or a retry
     * is due. Without this setting, such messages wait for the next poll.
     *
     * @param timer starts a timer for a worker, and cancels the one that it has started for it before
     */
    public void useTimer(BiConsumer<DestinationWorker, Duration> timer) {
        workers.values().forEach(worker -> worker.useTimer(timer));
    }

    /** The workers by the names of their destinations. */
    public Map<String, DestinationWorker> workers() {
        return Collections.unmodifiableMap(workers);
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

    /** Tells the listeners that time has passed. Never blocks. */
    public void tick() {
        listeners.notifyEach(DispatchListener::ticked);
    }

    /** Renews the leases of batches in flight. Call this on a thread that no broker can block. */
    public void renewLeases() {
        leases.renew();
    }

    /** Checks the tables that store events, and notifies the listeners. */
    public void checkTables() {
        tables.look();
    }

    /**
     * Writes this node's row. Call this before the first run, and then on a thread that nothing else can block: others take a node
     * without a heartbeat for dead.
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

    /**
     * Reads the backlog, the slot of change data capture, and the rows in doubt, on the dispatcher's connections. Separate from
     * {@link #checkTables}, since capture works even if the dispatcher's pool is exhausted. Each step is a separate
     * container call and returns its connection: a held connection could block business threads when the pool is
     * exhausted.
     */
    public void refreshBacklog() {
        backlog.refresh();
        cdc.refresh();
        inDoubt.forEach(InDoubtMonitor::refresh);
    }

    /** Looks for other nodes, and logs once what is wrong with the nodes. */
    public void checkNodes() {
        nodes.look();
    }

    /**
     * Deletes or archives messages whose retention is over.
     *
     * @return whether more can be removed at once
     */
    public boolean purge() {
        return purge.purge();
    }

    /** Whether a backfill may be running, by the last backlog. */
    public boolean mayBackfill() {
        return backlog.isAnyPaused();
    }

    /**
     * Continues backfills that run.
     *
     * @return whether more can be copied at once
     */
    public boolean backfill() {
        return backfills.copy();
    }
}

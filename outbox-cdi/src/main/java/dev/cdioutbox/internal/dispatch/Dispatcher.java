package dev.cdioutbox.internal.dispatch;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.crash.NodeHeartbeat;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.upkeep.InDoubtTracker;
import dev.cdioutbox.internal.dispatch.upkeep.LeaseRenewer;
import dev.cdioutbox.internal.dispatch.upkeep.StatusRefresh;
import dev.cdioutbox.internal.dispatch.upkeep.SweepLoop;
import dev.cdioutbox.internal.dispatch.worker.WorkerThreads;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Dispatches one outbox on this node: a worker for each destination, and the heartbeat, the sweep, the status refresh
 * and the leases that they share. Plain Java: the caller passes the container's transactions and threads. Thread-safe.
 */
public final class Dispatcher {
    private final Environment environment;
    private final Map<String, DestinationWorker> workers = new TreeMap<>();
    private final NodeHeartbeat heartbeat;
    private final SweepLoop sweep;
    private final StatusRefresh statusRefresh;
    private final LeaseRenewer leases;

    /**
     * @param config the current configuration; its destinations at this moment get the workers
     * @param stopping whether the application stops: then each run ends after its batch, and no new run begins
     */
    public Dispatcher(
            OutboxStore store,
            OutboxPublisher publisher,
            Transactions transactions,
            NodeIdentity node,
            Supplier<OutboxConfig> config,
            BooleanSupplier stopping) {
        this(Environment.of(store, publisher, transactions, node, config, stopping), Dispatcher::uptimeOfJvm);
    }

    /** @param uptime the time since this process started; a test runs several nodes in one JVM */
    public Dispatcher(Environment environment, Supplier<Duration> uptime) {
        this.environment = environment;
        Set<String> destinations = environment.config().destinations().keySet();
        CrashRecovery crashRecovery = new CrashRecovery(environment, uptime);
        heartbeat = new NodeHeartbeat(environment, crashRecovery);
        addListener(heartbeat);
        sweep = new SweepLoop(environment);
        leases = new LeaseRenewer(environment.store(), environment.transactions());
        for (String destination : destinations) {
            DestinationWorker worker = new DestinationWorker(destination, environment, crashRecovery, leases);
            workers.put(worker.label(), worker);
        }
        List<InDoubtTracker> inDoubt =
                workers.values().stream().map(DestinationWorker::inDoubt).toList();
        statusRefresh = new StatusRefresh(environment, heartbeat, inDoubt);
    }

    private static Duration uptimeOfJvm() {
        return Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());
    }

    /** The workers by the labels of their destinations. */
    public Map<String, DestinationWorker> workers() {
        return Collections.unmodifiableMap(workers);
    }

    public void addListener(DispatchListener listener) {
        environment.listeners().add(listener);
    }

    /**
     * Sets the executor that gives the workers further threads: to join a run while there may be a second batch, up to
     * {@code outbox.dispatcher.concurrency}; to continue at the end of a thread's time slice; and after a commit.
     * Without this setting, a run has only the threads of its callers, and lasts until nothing is due.
     */
    public void useThreads(Executor threads) {
        useThreads(threads, WorkerThreads.TIME_SLICE);
    }

    void useThreads(Executor threads, Duration timeSlice) {
        workers.values().forEach(worker -> worker.useThreads(threads, timeSlice));
    }

    /**
     * Starts the workers of the messages of a commit. A worker has one pending wake-up at a time, for any number of
     * commits.
     */
    public void wake(List<NewMessage> messages) {
        messages.stream()
                .map(NewMessage::destination)
                .distinct()
                .map(destination -> workers.get(environment.config().label(destination)))
                .filter(Objects::nonNull)
                .forEach(DestinationWorker::wake);
    }

    /** Writes this node's row before the first probe, so that probes of several workers need not race to insert it. */
    public void register() {
        heartbeat.beat();
    }

    /**
     * Deletes this node's row, so that the next process does not assume a crash. Call this after the signal to stop; no
     * delivery may begin after this call.
     */
    public void stop() {
        heartbeat.stop();
    }

    /** The housekeeping timer calls this method. */
    public void tick() {
        environment.notifyEach(DispatchListener::ticked);
    }

    /** Renews the leases of batches in flight. Call this often, on a thread that sends nothing. */
    public void renewLeases() {
        leases.renew(System.nanoTime());
    }

    /** Checks the tables that store events, and notifies the listeners. */
    public void checkTables() {
        statusRefresh.checkTables();
    }

    /**
     * Writes the heartbeat, reads the backlog and notifies the listeners. Separate from checkTables, since the two may
     * use different connection pools.
     */
    public void refreshBacklog() {
        statusRefresh.refreshBacklog();
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

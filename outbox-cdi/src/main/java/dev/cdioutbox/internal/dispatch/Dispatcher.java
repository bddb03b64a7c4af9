package dev.cdioutbox.internal.dispatch;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.ApplicationState;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.crash.NodeHeartbeat;
import dev.cdioutbox.internal.dispatch.crash.SingleMessageDelivery;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.dispatch.delivery.BatchSender;
import dev.cdioutbox.internal.dispatch.delivery.DestinationProbe;
import dev.cdioutbox.internal.dispatch.delivery.WorkerPublisher;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.listener.ListenerNotifier;
import dev.cdioutbox.internal.dispatch.upkeep.DelayedMessageRelease;
import dev.cdioutbox.internal.dispatch.upkeep.InDoubtTracker;
import dev.cdioutbox.internal.dispatch.upkeep.LeaseRenewer;
import dev.cdioutbox.internal.dispatch.upkeep.StatusRefresh;
import dev.cdioutbox.internal.dispatch.upkeep.SweepLoop;
import dev.cdioutbox.internal.dispatch.upkeep.UnservedDestinations;
import dev.cdioutbox.internal.dispatch.worker.WorkerStatus;
import dev.cdioutbox.internal.dispatch.worker.WorkerThreads;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Dispatches one outbox on this node: a worker for each destination, and the heartbeat, the sweep, the status refresh
 * and the leases that they share. Plain Java: the caller passes the container's transactions and threads. Thread-safe.
 */
public final class Dispatcher {
    private final ListenerNotifier listeners;
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
        this(store, publisher, transactions, node, new ApplicationState(config, stopping), Dispatcher::uptimeOfJvm);
    }

    /** @param uptime the time since this process started; a test runs several nodes in one JVM */
    public Dispatcher(
            OutboxStore store,
            OutboxPublisher publisher,
            Transactions transactions,
            NodeIdentity node,
            ApplicationState application,
            Supplier<Duration> uptime) {
        listeners = new ListenerNotifier(application::isStopping);
        CrashRecovery crashRecovery = new CrashRecovery(store, transactions, node, uptime);
        OutboxConfig now = application.config();
        OutboxPublisher workerPublisher = new WorkerPublisher(publisher, now::label);
        DestinationProbe probe = new DestinationProbe(store, workerPublisher, transactions, node);
        BatchSender sender = new BatchSender(workerPublisher, System::nanoTime, application::isStopping);
        SingleMessageDelivery delivery = new SingleMessageDelivery(
                store,
                transactions,
                new BatchDelivery(store, sender, transactions, listeners, probe),
                crashRecovery,
                application);
        heartbeat = new NodeHeartbeat(store, transactions, node, crashRecovery, application);
        listeners.add(heartbeat);
        listeners.add(new UnservedDestinations(now.destinations().keySet()));
        sweep = new SweepLoop(store, transactions, application);
        List<InDoubtTracker> inDoubt = new ArrayList<>();
        leases = new LeaseRenewer(store, transactions);
        for (String destination : now.destinations().keySet()) {
            WorkerStatus status = new WorkerStatus(destination, now.label(destination), application);
            InDoubtTracker inDoubtRows =
                    new InDoubtTracker(status.label(), store, transactions, listeners, System::nanoTime);
            inDoubt.add(inDoubtRows);
            WorkerThreads threads = new WorkerThreads(status::runEnded);
            workers.put(
                    status.label(),
                    new DestinationWorker(
                            status,
                            threads,
                            application,
                            listeners,
                            new ShadowSwitch(status, threads, store, transactions),
                            crashRecovery,
                            new GuaranteeCheck(status, store, workerPublisher, transactions, probe, listeners),
                            new DelayedMessageRelease(destination, store, transactions),
                            new NextBatch(
                                    status, threads, store, transactions, leases, delivery, listeners, inDoubtRows)));
        }
        statusRefresh = new StatusRefresh(now, node, store, transactions, heartbeat, listeners, inDoubt);
    }

    private static Duration uptimeOfJvm() {
        return Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());
    }

    /** The workers by the labels of their destinations. */
    public Map<String, DestinationWorker> workers() {
        return Collections.unmodifiableMap(workers);
    }

    public void addListener(DispatchListener listener) {
        listeners.add(listener);
    }

    /**
     * Sets the call that runs {@link DestinationWorker#joinRun} for a label asynchronously on another thread, for
     * {@code outbox.dispatcher.concurrency} above 1. A worker requests the call when there may be a second batch, never
     * during an outage.
     */
    public void startThreadsWith(Consumer<String> call) {
        workers.forEach((label, worker) -> worker.threads().startThreadsWith(() -> call.accept(label)));
    }

    /**
     * Sets the call that runs {@link DestinationWorker#run} for a label asynchronously on another thread. A worker
     * requests the call at the end of a thread's time slice. Without this setting, a run lasts until nothing is due.
     */
    public void handOverWith(Consumer<String> call) {
        handOverWith(call, WorkerThreads.TIME_SLICE);
    }

    void handOverWith(Consumer<String> call, Duration after) {
        workers.forEach((label, worker) -> worker.threads().handOverWith(() -> call.accept(label), after));
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
        listeners.notifyEach(DispatchListener::ticked);
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

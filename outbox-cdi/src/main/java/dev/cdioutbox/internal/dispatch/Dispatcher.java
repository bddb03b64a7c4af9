package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Delivers what is due to a destination: claim, publish, settle, until nothing is left. Plain Java; the container's
 * transactions and threads come from outside. Thread-safe.
 */
public final class Dispatcher {
    private static final Logger LOG = Logger.getLogger(Dispatcher.class.getName());
    private static final Duration TIME_SLICE = Duration.ofSeconds(1);

    private final OutboxStore store;
    private final OutboxPublisher publisher;
    private final Transactions transactions;
    private final NodeHeartbeat heartbeat;
    private final ListenerNotifier listeners = new ListenerNotifier();
    private final AtomicInteger partitionsHeld = new AtomicInteger();
    private final SingleMessageDelivery delivery;
    private final CrashRecovery crashRecovery;
    private final GuaranteeReport guaranteeReport;
    private final SweepLoop sweep;
    private final StatusRefresh statusRefresh;
    private final LeaseRenewer leases;
    private final DestinationProbe probe;
    private final WorkerThreads workerThreads = new WorkerThreads();
    private final ShadowSwitch shadowSwitch;
    private final DelayedMessageRelease delayedRelease;

    public Dispatcher(OutboxStore store, OutboxPublisher publisher, Transactions transactions, NodeIdentity node) {
        this(store, publisher, transactions, node, ProcessUptime.OF_JVM);
    }

    Dispatcher(
            OutboxStore store,
            OutboxPublisher publisher,
            Transactions transactions,
            NodeIdentity node,
            ProcessUptime age) {
        this.store = store;
        this.publisher = publisher;
        this.transactions = transactions;
        this.crashRecovery = new CrashRecovery(store, transactions, node, age);
        this.heartbeat = new NodeHeartbeat(store, transactions, node, partitionsHeld::get, crashRecovery);
        this.guaranteeReport = new GuaranteeReport(store, publisher, transactions, listeners);
        OutboxPublisher orNowhere = new DiscardingPublisher(publisher);
        this.probe = new DestinationProbe(store, orNowhere, transactions, node, listeners, guaranteeReport);
        this.sweep = new SweepLoop(store, transactions);
        this.statusRefresh = new StatusRefresh(store, transactions, heartbeat, listeners);
        this.leases = new LeaseRenewer(store, transactions);
        this.shadowSwitch = new ShadowSwitch(store, transactions);
        this.delayedRelease = new DelayedMessageRelease(store, transactions);
        BatchSender sender = new BatchSender(orNowhere, System::nanoTime, crashRecovery::isStopped);
        this.delivery = new SingleMessageDelivery(
                store, transactions, new BatchDelivery(store, sender, transactions, listeners, probe), crashRecovery);
    }

    public void addListener(DispatchListener listener) {
        listeners.add(listener);
    }

    /**
     * For outbox.dispatcher.concurrency above 1: how to call {@link #joinRun} for the worker with a label, on another
     * thread and asynchronously. It is requested when a second batch is there, and never during an outage.
     */
    public void startThreadsWith(Consumer<String> call) {
        workerThreads.startThreadsWith(call);
    }

    /**
     * How to call {@link #run} for the worker with a label, on another thread and asynchronously. It is requested at
     * the end of a thread's time slice. Without it, a run lasts until nothing is due.
     */
    public void handOverWith(Consumer<String> call) {
        handOverWith(call, TIME_SLICE);
    }

    void handOverWith(Consumer<String> call, Duration after) {
        workerThreads.handOverWith(call, after);
    }

    /** Writes this node's row before the first probe, so that probes of several workers need not race to insert it. */
    public void register() {
        heartbeat.beat();
    }

    /** The application stops; no delivery may begin after this call. */
    public void stop() {
        listeners.applicationEnds();
        heartbeat.stop();
    }

    /** To be called by the housekeeping timer. */
    public void tick() {
        listeners.notifyEach(DispatchListener::ticked);
    }

    /** Renews the leases of batches in flight, if there are any. To be called often, by a thread that sends nothing. */
    public void renewLeases() {
        leases.renew(System.nanoTime());
    }

    /** Checks the tables into which events are stored, and notifies the listeners. */
    public void checkTables() {
        statusRefresh.checkTables();
    }

    /**
     * Writes the heartbeat, reads the backlog and notifies the listeners. Apart from checkTables, since the two may use
     * different connection pools.
     */
    public void refreshBacklog() {
        statusRefresh.refreshBacklog();
    }

    /**
     * Deletes or archives messages whose retention is over. A failure is only logged.
     *
     * @return whether more can be removed at once
     */
    public boolean sweep(Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        return sweep.sweep(config, stopping);
    }

    /**
     * Called by the worker's timer: runs the worker unless it ran a moment ago or a thread works in it.
     *
     * @return null on success; else the failure, which is logged and leaves the messages in their queues
     */
    public Throwable poll(DestinationWorker worker, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        long interval = config.get().dispatcher().interval().toNanos();
        worker.timerCalled(System.nanoTime());
        return worker.ranRecently(System.nanoTime(), interval / 2) && !worker.isRunRequested()
                ? null
                : run(worker, config, stopping);
    }

    /** To be called often, by a thread that sends nothing: replaces a timer whose thread hangs in its worker. */
    public void checkStalled(DestinationWorker worker, Duration interval) {
        workerThreads.checkStalled(worker, interval.toNanos());
    }

    /** Runs the worker, and again as long as runs were requested meanwhile. */
    public Throwable run(DestinationWorker worker, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        return run(worker, config, stopping, workerThreads.beginSlice());
    }

    private Throwable run(
            DestinationWorker worker,
            Supplier<OutboxConfig> config,
            BooleanSupplier stopping,
            WorkerThreads.TimeSlice slice) {
        Throwable failure = null;
        boolean again = true;
        while (failure == null && again) {
            WorkerRun run = worker.beginThread(ConfigOrDefault.read(config, DispatcherConfig::concurrency, 1));
            failure = run == null ? null : runThread(worker, run, config, stopping, slice);
            again = run != null && failure == null && isContinued(worker, stopping, slice);
        }
        return failure;
    }

    private static boolean isContinued(
            DestinationWorker worker, BooleanSupplier stopping, WorkerThreads.TimeSlice slice) {
        return worker.isRunRequested() && !stopping.getAsBoolean() && !slice.isHandedOver(worker);
    }

    /** Joins a run in progress with the calling thread, if it is still in progress: see {@link #startThreadsWith}. */
    public void joinRun(DestinationWorker worker, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        WorkerRun run = worker.joinRun(ConfigOrDefault.read(config, DispatcherConfig::concurrency, 1));
        WorkerThreads.TimeSlice slice = workerThreads.beginSlice();
        if (run != null
                && runThread(worker, run, config, stopping, slice) == null
                && isContinued(worker, stopping, slice)) {
            run(worker, config, stopping, slice);
        }
    }

    private Throwable runThread(
            DestinationWorker worker,
            WorkerRun run,
            Supplier<OutboxConfig> config,
            BooleanSupplier stopping,
            WorkerThreads.TimeSlice slice) {
        // Created before anything can fail: a thread that does not leave again would block the worker for good.
        Consumer<Throwable> report =
                why -> WorkerRunLog.of(worker, why, ConfigOrDefault.read(config, DispatcherConfig::enabled, false));
        Throwable failure;
        try {
            worker.runRequestTaken();
            listeners.notifyEach(l -> l.began(worker.destination()));
            failure = deliverAll(worker, run, config, stopping, slice);
        } catch (Throwable e) {
            failure = e;
        }
        try {
            worker.endThread(run, failure, System.nanoTime(), report);
            listeners.notifyEach(l -> l.ended(worker.destination(), worker.failures()));
        } catch (Throwable e) {
            failure = failure == null ? e : failure;
        }
        return failure;
    }

    private Throwable deliverAll(
            DestinationWorker worker,
            WorkerRun run,
            Supplier<OutboxConfig> config,
            BooleanSupplier stopping,
            WorkerThreads.TimeSlice slice) {
        try {
            int idle = 0;
            while (!stopping.getAsBoolean() && run.failure() == null) {
                // Each batch uses one snapshot of the configuration; the next one sees its changes.
                OutboxConfig now = config.get();
                if (!shadowSwitch.applyConfig(worker, now.dispatcher())
                        || !now.dispatcher().enabled()) {
                    return null;
                }
                crashRecovery.prepare(worker, now);
                probe.probe(worker, now);
                guaranteeReport.report(worker, now);
                delayedRelease.releaseDue(worker);
                BatchResult result = deliverBatch(worker, now);
                // Partitions without sendable messages say nothing about the other partitions: visit each of them
                // once.
                idle = result == BatchResult.ALL_WAITING
                        ? idle + ClaimLimits.of(now).partitions()
                        : 0;
                if (result == BatchResult.NO_WORK || idle >= now.store().partitions()) {
                    break;
                }
                if (result != BatchResult.ALL_WAITING && slice.isOver()) {
                    worker.moreWorkLeft();
                    return null;
                }
            }
            return stopping.getAsBoolean() ? null : worker.delayedReleaseFailure();
        } catch (Throwable e) {
            // Errors too: two failures in a row that reach the container would suspend the timer for minutes.
            if (stopping.getAsBoolean()) {
                // The application is stopping: missing beans or resources are no failure of the delivery.
                LOG.log(Level.FINE, "a run ended with its application", e);
                return null;
            }
            return e;
        }
    }

    private BatchResult deliverBatch(DestinationWorker worker, OutboxConfig config) throws Exception {
        long start = System.nanoTime();
        try (Claim claim = store.claim(worker.destination(), worker.lastPartition(), ClaimLimits.of(config))) {
            int partitions = claim.partitions().size();
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            partitionsHeld.addAndGet(partitions);
            listeners.notifyEach(l -> l.claimed(worker.destination(), partitions, took));
            try {
                return deliver(worker, config, claim);
            } finally {
                partitionsHeld.addAndGet(-partitions);
                listeners.notifyEach(l -> l.released(worker.destination(), partitions));
            }
        }
    }

    private BatchResult deliver(DestinationWorker worker, OutboxConfig config, Claim claim) throws Exception {
        if (claim.partitions().isEmpty()) {
            crashRecovery.workerHasCaughtUp(worker);
            return BatchResult.NO_WORK;
        }
        int before = worker.lastPartition();
        leases.keep(claim.lease(), System.nanoTime());
        try {
            removeInDoubt(claim);
            worker.partitionServed(claim.lastServedPartition(before));
            if (claim.isEmpty()) {
                return claim.maintained() ? BatchResult.MAINTAINED : BatchResult.ALL_WAITING;
            }
            // Before the batch is sent, so that the other thread sends the next one meanwhile.
            workerThreads.requestThread(worker);
            OutboxMessage next = publish(worker, config, claim);
            if (next != null) {
                worker.partitionServed(claim.lastServedPartitionBefore(next, before));
            }
        } finally {
            leases.release(claim.lease());
        }
        worker.delivered();
        return BatchResult.DELIVERED;
    }

    private void removeInDoubt(Claim claim) throws Exception {
        boolean others = true;
        while (others) {
            others = claim.removeUnlockable(
                    transactions.outside(() -> store.lockable(claim.sequences(), claim.lease())));
        }
    }

    /** @return the first message that was left for another batch, or null */
    private OutboxMessage publish(DestinationWorker worker, OutboxConfig config, Claim claim) throws DeliveryException {
        List<OutboxMessage> batch = claim.messages();
        try {
            return delivery.deliver(worker, config, batch, claim.undecodable(), DeliveryContext.of(claim, config))
                    .next();
        } catch (Exception e) {
            // The next claim begins with another partition: the first message may be the cause of the failure.
            worker.partitionServed(claim.partitions().get(0));
            listeners.notifyEach(l -> l.failed(worker.destination(), batch.size(), e));
            throw new DeliveryException(batch.size(), e);
        }
    }
}

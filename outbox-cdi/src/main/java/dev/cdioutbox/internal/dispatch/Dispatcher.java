package dev.cdioutbox.internal.dispatch;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.operate.OutboxBacklog;

/**
 * Dispatches one outbox on this node: a worker for each destination, and the heartbeat, the sweep, the leases, and the
 * periodic reads for health checks and metrics. Plain Java: the caller passes the container's transactions and threads.
 * Thread-safe.
 */
public final class Dispatcher {
    private static final Logger LOG = Logger.getLogger(Dispatcher.class.getName());

    private final Services services;
    private final Map<String, DestinationWorker> workers = new TreeMap<>();
    private final Heartbeat heartbeat;
    private final SweepTask sweep;
    private final BackfillTask backfills;
    private final CdcWatch cdc;
    private final NodeWatch nodes;
    private final String outbox;
    private final Set<String> destinations;
    /** By the last backlog; a destination that is being backfilled counts as paused. */
    private volatile boolean isAnyPaused;

    private final Reported<String> unserved = new Reported<>();

    /** The destinations of the current configuration get the workers. */
    public Dispatcher(Services services) {
        this(
                services,
                () -> Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime()));
    }

    /** @param uptime the time since this process started; a test runs several nodes in one JVM */
    public Dispatcher(Services services, Supplier<Duration> uptime) {
        this.services = services;
        outbox = services.config().outbox();
        destinations = services.config().dispatch().keySet();
        CrashRecovery crashRecovery = new CrashRecovery(services, uptime);
        sweep = new SweepTask(services);
        backfills = new BackfillTask(services);
        cdc = new CdcWatch(services);
        nodes = new NodeWatch(services);
        heartbeat = new Heartbeat(
                services.node(),
                services.store().nodes(),
                services.transactions(),
                services::isStopping,
                crashRecovery,
                this::partitionsHeld);
        for (String destination : destinations) {
            DestinationWorker worker = new DestinationWorker(destination, services, crashRecovery, nodes::isAlone);
            workers.put(worker.label(), worker);
        }
        addListener(new DispatchListener() {
            @Override
            public void deadLettered(String destination, List<NewMessage> copies) {
                wake(copies);
            }
        });
    }

    private int partitionsHeld() {
        return workers.values().stream()
                .mapToInt(DestinationWorker::partitionsHeld)
                .sum();
    }

    /** The workers by the labels of their destinations. */
    public Map<String, DestinationWorker> workers() {
        return Collections.unmodifiableMap(workers);
    }

    public void addListener(DispatchListener listener) {
        services.listeners().add(listener);
    }

    /**
     * Sets the executor that gives the workers further threads: to join a run while there may be a second batch, up to
     * {@code outbox.dispatcher.concurrency}; to continue at the end of a thread's time slice; and after a commit.
     * Without this setting, a run has only the threads of its callers, and lasts until nothing is due.
     */
    public void useThreads(Executor threads) {
        useThreads(threads, Services.TIME_SLICE);
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
                    DestinationWorker worker = workers.get(services.config().label(destination));
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
        services.notifyEach(DispatchListener::ticked);
    }

    /**
     * Renews the leases of batches in flight. Call this often, on a thread that no broker can block: a renewal that fails is
     * tried again at the next call only.
     */
    public void renewLeases() {
        try {
            services.outside(() -> {
                services.store().claims().renewLeases();
                return null;
            });
        } catch (Exception e) {
            LOG.log(Level.FINE, "a lease could not be renewed", e);
        }
    }

    /** Checks the tables that store events, and notifies the listeners. */
    public void checkTables() {
        String problem;
        try {
            problem = services.outside(services.store()::problem);
        } catch (Exception e) {
            problem = FailureReason.of(e);
        }
        String found = problem;
        services.notifyEach(l -> l.storeChecked(outbox, found));
    }

    /**
     * Reads the backlog and checks the rows in doubt, on the dispatcher's connections. Separate from
     * {@link #checkTables}, since capture works even if the dispatcher's pool is exhausted. Each step is a separate
     * container call and returns its connection: a held connection could block business threads when the pool is
     * exhausted.
     *
     * <p>On failure the listeners keep the last backlog and its age grows; the workers report the unreachable database.
     */
    public void refreshBacklog() {
        try {
            OutboxBacklog backlog = services.outside(services.store().status()::backlog);
            services.notifyEach(l -> l.backlog(outbox, backlog));
            isAnyPaused = !backlog.paused().isEmpty();
            reportUnserved(backlog);
        } catch (Exception e) {
            LOG.log(Level.FINE, "the backlog could not be read; the next call reads it", e);
        }
        cdc.refresh();
        workers.values().forEach(worker -> worker.inDoubt().refresh());
    }

    /**
     * Warns of messages that wait for a destination without a worker on this node. After a removal or rename of a
     * destination in the configuration, its messages wait, and no failing delivery reports them.
     */
    private void reportUnserved(OutboxBacklog backlog) {
        Set<String> found = NodeCheck.unserved(backlog, destinations);
        if (!unserved.beginOnly(found).isEmpty()) {
            LOG.warning(OutboxCode.UNSERVED_DESTINATIONS.text(outbox, found, destinations));
        }
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
        return isAnyPaused;
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

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.WorkerState.Cycle;
import dev.cdioutbox.internal.dispatch.WorkerState.Decision;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryException;
import dev.cdioutbox.internal.dispatch.delivery.OpenDestination;
import dev.cdioutbox.internal.dispatch.opening.DestinationOpening;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.spi.DestinationId;

/**
 * Delivers the due messages of one destination on this node: repeats claim, publish and settle until nothing is left.
 * Up to {@code outbox.dispatcher.concurrency} threads work at a time, each on its own partitions. {@link WorkerState} decides
 * which threads work and where they look, and this class carries its decisions out. Thread-safe.
 *
 * <p>A hanging send delays only its own destination, as long as the container has threads left. But while messages are sent
 * singly after a crash, workers wait for each other.
 */
public final class DestinationWorker {
    private static final Logger LOG = Logger.getLogger(DestinationWorker.class.getName());

    private final DestinationId id;
    private final Supplier<OutboxConfig> current;
    private final Environment environment;
    private final ClaimStore claims;
    private final DestinationOpening opening;
    private final DeliveryCycle deliveryCycle;
    private final DueMessages dueMessages;
    /** Its lock keeps the order of failures and recoveries. */
    private final FailureLog failureLog;

    private volatile Threading threading = new Threading(work -> {}, Duration.ofNanos(Long.MAX_VALUE));
    /** Guarded by this object's lock. */
    private WorkerState state;

    /** What happens to the worker. */
    private interface Event {
        Decision decide(WorkerState now);
    }

    /**
     * Where further threads come from.
     *
     * @param executor may refuse a thread
     * @param timeSlice how long a thread works before another one continues
     */
    private record Threading(Executor executor, Duration timeSlice) {}

    /** @param current supplies the current configuration of the outbox */
    DestinationWorker(
            DestinationId id,
            Supplier<OutboxConfig> current,
            Environment environment,
            ClaimStore claims,
            DestinationOpening opening,
            DeliveryCycle deliveryCycle,
            DueMessages dueMessages) {
        this.id = id;
        this.current = current;
        this.environment = environment;
        this.claims = claims;
        this.opening = opening;
        this.deliveryCycle = deliveryCycle;
        this.dueMessages = dueMessages;
        failureLog = new FailureLog(id);
        state = WorkerState.idle(environment.nanoTime());
    }

    void useThreads(Executor executor, Duration timeSlice) {
        threading = new Threading(executor, timeSlice);
    }

    void useTimer(BiConsumer<DestinationWorker, Duration> timer) {
        dueMessages.use(delay -> timer.accept(this, delay));
    }

    /** The id of the destination. */
    public DestinationId id() {
        return id;
    }

    /** The current settings of this destination. */
    public DispatcherConfig config() {
        return current.get().of(id.name()).dispatcher();
    }

    /** Whether the destination is a handler of the application. */
    boolean isLocal() {
        return current.get().destinations().get(id.name()).isLocal();
    }

    /** The number of consecutive failed runs. */
    public int failures() {
        return state().threads().failures();
    }

    /** The number of partitions that this node has claimed now. */
    int partitionsHeld() {
        return deliveryCycle.partitionsHeld();
    }

    private synchronized WorkerState state() {
        return state;
    }

    private int mostThreads() {
        return opening.threads(current.get());
    }

    /**
     * Starts a thread to look in the partitions of these messages. A worker that fails or is off waits for its timer
     * instead.
     */
    void wake(List<NewMessage> messages) {
        if (messages.stream().anyMatch(message -> message.terms().notBefore() != null)) {
            dueMessages.mustAsk();
        }
        wake(PartitionRange.of(messages.stream().map(claims::partitionOf).toList()));
    }

    /** Starts a thread to look for delayed messages that are due now. The timer calls this method. */
    public void wakeForDue() {
        dueMessages.fired();
        wake(PartitionRange.ALL);
    }

    /** @return whether a thread was asked for */
    boolean wake(PartitionRange range) {
        return !environment.isStopping()
                && config().enabled()
                && handle(now -> now.woken(range, mostThreads())).startThread();
    }

    /**
     * Works through all partitions on the calling thread, until nothing is left or the time slice is over. The
     * worker's timer calls this method.
     *
     * @return null on success; otherwise the failure, which is logged, while the messages stay in their queues
     */
    public Throwable poll() {
        return work(now -> now.polled(mostThreads(), environment.nanoTime()));
    }

    /**
     * Starts a thread in place of a timer's that hangs in this worker. Must be called often, on a thread that sends
     * nothing.
     */
    public void checkStalled() {
        long interval = config().interval().toNanos();
        if (!environment.isStopping()
                && decide(now -> now.checked(environment.nanoTime(), interval, mostThreads()))
                        .startThread()) {
            start(this::poll);
        }
    }

    /** Lets the state decide on an event, and starts a thread if it asks for one. */
    private Decision handle(Event event) {
        return carryOut(decide(event));
    }

    private synchronized Decision decide(Event event) {
        Decision decision = event.decide(state);
        state = decision.state();
        return decision;
    }

    private Decision carryOut(Decision decision) {
        if (decision.startThread() && !environment.isStopping()) {
            start(() -> work(now -> now.arrived(mostThreads())));
        }
        return decision;
    }

    private void start(Runnable work) {
        try {
            threading.executor.execute(work);
        } catch (RuntimeException e) {
            decide(WorkerState::refused);
            LOG.log(Level.FINE, "no thread is available; the current threads go on", e);
        }
    }

    /**
     * Works on the calling thread, cycle by cycle, until the state has none left for it.
     *
     * @return the failure that ended the work; null if there was none
     */
    private Throwable work(Event arrival) {
        long begin = environment.nanoTime();
        Cycle cycle = handle(arrival).cycle();
        if (cycle == null) {
            return null;
        }
        environment.notifyEach(l -> l.began(id));
        Throwable failure = null;
        while (cycle != null) {
            Event end;
            try {
                end = perform(cycle, begin);
            } catch (Throwable e) {
                // Errors too, because two consecutive failures that reach the container suspend the timer for minutes.
                LOG.log(Level.FINE, "a cycle has failed", e);
                // While the application stops, beans and resources may be missing, which is not a failed delivery.
                failure = environment.isStopping() ? null : e;
                end = failure == null ? withdrawn(cycle) : failed(cycle, e);
            }
            cycle = end(end, failure).cycle();
        }
        environment.notifyEach(l -> l.ended(id));
        return failure;
    }

    /**
     * Performs a cycle, unless nothing may be sent now.
     *
     * @return the event that ends the cycle
     */
    private Event perform(Cycle cycle, long begin) throws Exception {
        if (environment.isStopping()) {
            return withdrawn(cycle);
        }
        OutboxConfig config = current.get();
        // While the destination fails, each cycle opens it, because that probes it.
        boolean isFailing = state().isFailing();
        Optional<OpenDestination> destination = isFailing ? Optional.empty() : opening.opened(config);
        if (destination.isEmpty()) {
            if (opening.changesTarget(config) && state().threads().count() > 1) {
                // Other threads may still send to the previous target.
                return now -> now.alone(cycle);
            }
            destination = opening.open(config, isFailing);
        }
        return destination.isEmpty() ? withdrawn(cycle) : deliver(cycle, destination.get(), begin);
    }

    private Event deliver(Cycle cycle, OpenDestination destination, long begin) throws Exception {
        CycleResult result = deliveryCycle.perform(
                cycle, destination, (last, hasMore) -> handle(now -> now.claimed(cycle, last, hasMore, mostThreads())));
        int most = mostThreads();
        int rounds = deliveryCycle.rounds(destination);
        boolean isSliceOver = environment.nanoTime() - begin >= threading.timeSlice.toNanos();
        return now -> now.finished(cycle, result, isSliceOver, most, rounds);
    }

    private static Event withdrawn(Cycle cycle) {
        return now -> now.withdrawn(cycle);
    }

    private static Event failed(Cycle cycle, Throwable failure) {
        Long after = failure instanceof DeliveryException delivery ? delivery.after() : null;
        return now -> now.failed(cycle, after);
    }

    /**
     * Ends a cycle, and tells of a failed run or a recovery. The lock of the log keeps the reports in the order of the decisions.
     * The lock of the state is free meanwhile, since committing business threads wait for it.
     *
     * @param failure the cause if the cycle has failed; otherwise not used
     */
    private Decision end(Event event, Throwable failure) {
        Decision decision;
        synchronized (failureLog) {
            int before = failures();
            decision = decide(event);
            int failures = decision.state().threads().failures();
            if (failures > before) {
                failureLog.failed(failure, failures, environment.nanoTime());
                environment.notifyEach(l -> l.runFailed(id, failures, failure));
            } else if (failures < before) {
                failureLog.resumed(before);
                environment.notifyEach(l -> l.recovered(id, before));
            }
        }
        return carryOut(decision);
    }
}

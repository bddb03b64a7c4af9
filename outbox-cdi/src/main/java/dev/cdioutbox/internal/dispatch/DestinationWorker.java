package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.WorkerState.Decision;
import dev.cdioutbox.internal.dispatch.WorkerState.Found;
import dev.cdioutbox.internal.dispatch.WorkerState.Turn;
import dev.cdioutbox.internal.dispatch.WorkerState.TurnResult;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryException;
import dev.cdioutbox.internal.dispatch.delivery.ExactlyOnceProbe;
import dev.cdioutbox.internal.dispatch.delivery.ForeignHold;
import dev.cdioutbox.internal.dispatch.delivery.Hold;
import dev.cdioutbox.internal.dispatch.delivery.Way;
import dev.cdioutbox.internal.store.HolderToken;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.PartitionRange;

/**
 * Delivers the due messages of one destination on this node: repeats claim, publish and settle until nothing is left.
 * Up to {@code outbox.dispatcher.concurrency} threads work at a time, each on its own partitions. Workers share no
 * threads, so that a hanging send delays only its own destination, except while messages are sent singly after a crash.
 * {@link WorkerState} decides which threads work and where they look, and this class carries its decisions out.
 * Thread-safe.
 */
public final class DestinationWorker {
    private static final Logger LOG = Logger.getLogger(DestinationWorker.class.getName());

    private final String destination;
    private final String label;
    private final Services services;
    private final CrashRecovery crashRecovery;
    private final BooleanSupplier nodeIsAlone;
    private final ExactlyOnceProbe probe;
    private final InDoubtTracker inDoubt;
    private final Shadowing shadowing;
    private final ForeignHold foreignHold;
    /** Its lock keeps the order of failures and recoveries. */
    private final FailureLog failureLog;

    private final RepeatedLine upkeepFailures = new RepeatedLine();
    private final DueTimer dueTimer = new DueTimer();
    private final AtomicInteger partitionsHeld = new AtomicInteger();
    private final AtomicReference<HolderToken> lastHeld = new AtomicReference<>();

    // Guarded by this object's lock.
    private WorkerState state;
    private Executor executor = work -> {};
    private long timeSlice = Long.MAX_VALUE;
    private BiConsumer<DestinationWorker, Duration> timer = (worker, delay) -> {};

    /** @param nodeIsAlone whether no other process dispatches these messages; false if unknown */
    DestinationWorker(String destination, Services services, CrashRecovery crashRecovery, BooleanSupplier nodeIsAlone) {
        this.destination = destination;
        this.services = services;
        this.crashRecovery = crashRecovery;
        this.nodeIsAlone = nodeIsAlone;
        label = services.config().label(destination);
        probe = new ExactlyOnceProbe(destination, services);
        inDoubt = new InDoubtTracker(label, services);
        shadowing = new Shadowing(destination, services);
        foreignHold = new ForeignHold(label);
        failureLog = new FailureLog(label);
        state = WorkerState.idle(services.nanoTime());
    }

    /** The name of the destination, unique among all outboxes. */
    public String label() {
        return label;
    }

    synchronized void useThreads(Executor newExecutor, Duration newTimeSlice) {
        executor = newExecutor;
        timeSlice = newTimeSlice.toNanos();
    }

    synchronized void useTimer(BiConsumer<DestinationWorker, Duration> newTimer) {
        timer = newTimer;
    }

    InDoubtTracker inDoubt() {
        return inDoubt;
    }

    int partitionsHeld() {
        return partitionsHeld.get();
    }

    /** The number of consecutive failed runs. */
    public int failures() {
        return state().run().failures();
    }

    private synchronized WorkerState state() {
        return state;
    }

    /**
     * Starts a thread to look in the partitions of these messages. A worker that fails or is off waits for its timer
     * instead.
     */
    void wake(List<NewMessage> messages) {
        if (messages.stream().anyMatch(message -> message.terms().notBefore() != null)) {
            dueTimer.ask();
        }
        wake(PartitionRange.of(
                messages.stream().map(services.store().claims()::partitionOf).toList()));
    }

    /** Starts a thread to look for delayed messages that are due now. The timer calls this method. */
    public void wakeForDue() {
        dueTimer.fired();
        wake(PartitionRange.ALL);
    }

    /** @return whether a thread was started */
    boolean wake(PartitionRange range) {
        return !services.isStopping()
                && config().enabled()
                && act(now -> now.woken(range, mostThreads())).startThread();
    }

    /**
     * Works through all partitions on the calling thread, until nothing is left or the time slice is over. The
     * worker's timer calls this method.
     *
     * @return null on success; otherwise the failure, which is logged, while the messages stay in their queues
     */
    public Throwable poll() {
        return work(now -> now.polled(mostThreads(), services.nanoTime()));
    }

    /**
     * Starts a thread in place of a timer's that hangs in this worker. Must be called often, on a thread that sends
     * nothing.
     */
    public void checkStalled() {
        long interval = config().interval().toNanos();
        if (!services.isStopping()
                && decide(now -> now.checked(services.nanoTime(), interval, mostThreads()))
                        .startThread()) {
            start(this::poll);
        }
    }

    /** The current settings of this destination. */
    public DispatcherConfig config() {
        return snapshot().dispatcher();
    }

    private OutboxConfig snapshot() {
        return services.config().of(destination);
    }

    private int mostThreads() {
        OutboxConfig config = snapshot();
        return isHeldAsWhole(config) ? 1 : config.dispatcher().concurrency();
    }

    private boolean isHeldAsWhole(OutboxConfig config) {
        return Way.of(services, destination, config) == Way.MARKER;
    }

    /** Lets the state decide on an event, and starts a thread if it asks for one. */
    private Decision act(Function<WorkerState, Decision> event) {
        return carryOut(decide(event));
    }

    private synchronized Decision decide(Function<WorkerState, Decision> event) {
        Decision decision = event.apply(state);
        state = decision.state();
        return decision;
    }

    private Decision carryOut(Decision decision) {
        if (decision.startThread() && !services.isStopping()) {
            start(() -> work(now -> now.arrived(mostThreads())));
        }
        return decision;
    }

    /**
     * Ends a turn, and tells of a failed run or a recovery: under a lock, so that threads tell in the order of the decisions,
     * but not under that of the state, for which committing business threads wait.
     *
     * @param failure if the turn has failed: its cause
     */
    private Decision end(Function<WorkerState, Decision> event, Throwable failure) {
        Decision decision;
        synchronized (failureLog) {
            int before = failures();
            decision = decide(event);
            int failures = decision.state().run().failures();
            if (failures > before) {
                failureLog.failed(failure, failures, services.nanoTime());
                services.notifyEach(l -> l.runFailed(label, failures, failure));
            } else if (failures < before) {
                failureLog.resumed(before);
                services.notifyEach(l -> l.recovered(label, before));
            }
        }
        return carryOut(decision);
    }

    /** Without a free thread, the current ones or the timer do the work. */
    private void start(Runnable work) {
        Executor threads;
        synchronized (this) {
            threads = executor;
        }
        try {
            threads.execute(work);
        } catch (RuntimeException e) {
            LOG.log(Level.FINE, "no thread is available; the current threads go on", e);
        }
    }

    /**
     * Works on the calling thread, turn by turn, until the state has none left for it.
     *
     * @return the failure that ended the work; null if there was none
     */
    private Throwable work(Function<WorkerState, Decision> arrival) {
        long begin = services.nanoTime();
        Turn turn = act(arrival).turn();
        if (turn == null) {
            return null;
        }
        services.notifyEach(l -> l.began(label));
        Throwable failure = null;
        while (turn != null) {
            Turn current = turn;
            Function<WorkerState, Decision> event;
            try {
                OutboxConfig config = snapshot();
                if (shadowing.isChanged(config.dispatcher())) {
                    // Other threads may still send to the previous destination.
                    if (decide(now -> now.alone(current)).turn() == null) {
                        break;
                    }
                    shadowing.change(config.dispatcher());
                }
                if (services.isStopping() || !config.dispatcher().enabled()) {
                    event = now -> now.withdrawn(current);
                } else {
                    TurnResult result = take(current, config);
                    int most = mostThreads();
                    event = now -> now.finished(current, result, isSliceOver(begin), most, ClaimLimits.rounds(config));
                }
            } catch (Throwable e) {
                // Errors too, because two consecutive failures that reach the container suspend the timer for minutes.
                // While the application stops, beans and resources may be missing, which is not a failed delivery.
                LOG.log(Level.FINE, "a turn has failed", e);
                failure = services.isStopping() ? null : e;
                event = failure == null ? now -> now.withdrawn(current) : now -> now.failed(current);
            }
            turn = end(event, failure).turn();
        }
        services.notifyEach(l -> l.ended(label));
        return failure;
    }

    private synchronized boolean isSliceOver(long begin) {
        return services.nanoTime() - begin >= timeSlice;
    }

    /** Claims the next batch, publishes it and settles it. A change of the configuration takes effect in the next turn. */
    private TurnResult take(Turn turn, OutboxConfig config) throws Exception {
        crashRecovery.prepare();
        probe.check(config, state().isFailing());
        // Before the claim: what becomes due after this question has a timer, and the claim finds the rest.
        scheduleNextDue();
        long begin = services.nanoTime();
        ClaimLimits limits = ClaimLimits.of(config).within(turn.range()).ofWhole(isHeldAsWhole(config));
        Claim claim = services.store().claims().claim(destination, turn.after(), limits, this::lockable);
        int partitions = claim.partitions().size();
        TurnResult result = null;
        try (claim) {
            Duration took = Duration.ofNanos(services.nanoTime() - begin);
            partitionsHeld.addAndGet(partitions);
            services.notifyEach(l -> l.claimed(label, partitions, took));
            result = use(claim, turn, config);
        } catch (Exception e) {
            // With a result, only the maintenance at the close has failed.
            failUnlessDelivered(result, e);
        } finally {
            partitionsHeld.addAndGet(-partitions);
            services.notifyEach(l -> l.released(label, partitions));
        }
        return result;
    }

    private TurnResult use(Claim claim, Turn turn, OutboxConfig config) throws Exception {
        Exception failure = null;
        boolean moved = false;
        try {
            // Before the batch, because its send may hang.
            moved = claim.delayedAreDue()
                    && services.outside(() -> services.store().delayed().release(destination));
        } catch (Exception e) {
            failure = e;
        }
        boolean isInVain = claim.partitions().isEmpty();
        if (isInVain && claim.foundLocked() && isHeldAsWhole(config)) {
            foreignHold.found(claim.holder(), services.nanoTime());
        } else if (!isInVain || turn.range().equals(PartitionRange.ALL)) {
            foreignHold.ended();
        }
        TurnResult result = isInVain ? lookedInVain(claim, turn) : deliver(claim, turn, config);
        if (failure != null) {
            // Only now, because other messages must be sent even while this fails.
            failUnlessDelivered(result, failure);
        }
        return moved ? result.afterMove() : result;
    }

    /** After a delivered batch, which shows that there is no outage, only logs the failure: the next turn tries again. */
    private void failUnlessDelivered(TurnResult result, Exception failure) throws Exception {
        if (result == null || result.found() != Found.DELIVERED) {
            throw failure;
        }
        int due = upkeepFailures.due(services.nanoTime());
        if (due > 0) {
            LOG.log(Level.WARNING, OutboxCode.UPKEEP_FAILED.text(label, FailureReason.of(failure), due), failure);
        }
    }

    private TurnResult lookedInVain(Claim claim, Turn turn) throws Exception {
        crashRecovery.foundNothing(destination);
        return TurnResult.nothing(turn, claim.foundLocked(), nodeIsAlone.getAsBoolean());
    }

    private TurnResult deliver(Claim claim, Turn turn, OutboxConfig config) throws Exception {
        inDoubt.found(claim.inDoubt());
        Hold hold = new Hold(services, destination, config, claim, lastHeld);
        if (!claim.isEmpty()) {
            attempt(claim, turn, () -> takeOver(hold, claim));
        }
        if (claim.isEmpty()) {
            return new TurnResult(
                    claim.maintain() ? Found.MOVED : Found.WAITING, PartitionRange.ALL, claim.lastPartition());
        }
        act(now -> now.claimed(turn, claim.lastPartition(), !claim.isComplete(), mostThreads()));
        BatchDelivery delivery = new BatchDelivery(services, destination, config, claim, hold);
        OutboxMessage rest = attempt(claim, turn, () -> crashRecovery.deliver(delivery, claim.unfinishedSends()));
        boolean isSettled = delivery.isSettled() && claim.unreadable().isEmpty();
        if (!isSettled) {
            // Retries wait now.
            dueTimer.ask();
        }
        return TurnResult.delivered(
                turn,
                // After a failed or unreadable message, its followers may be sendable now.
                isSettled && claim.isComplete(),
                claim.lease() == null && nodeIsAlone.getAsBoolean(),
                claim.foundLocked(),
                isHeldAsWhole(config) ? PartitionRange.ALL : PartitionRange.of(claim.partitions()),
                rest == null ? null : claim.lastPartitionBefore(rest, turn.after()));
    }

    /** Keeps the claim meanwhile: otherwise nodes that take turns would take over, and send nothing. */
    private boolean takeOver(Hold hold, Claim claim) throws Exception {
        boolean takenOver = hold.takeOverIfUncertain();
        if (takenOver) {
            claim.readAgain(this::lockable);
        }
        return takenOver;
    }

    private <T> T attempt(Claim claim, Turn turn, Callable<T> step) throws DeliveryException {
        try {
            return step.call();
        } catch (Exception e) {
            // Some messages may wait for a retry.
            dueTimer.ask();
            act(now -> now.batchFailed(turn, claim.partitions().get(0)));
            services.notifyEach(l -> l.failed(label, claim.messages().size(), e));
            throw new DeliveryException(e);
        }
    }

    /** Asks on another connection than the claim's. */
    private Set<Long> lockable(Collection<Long> sequences) throws Exception {
        return services.outside(() -> services.store().settlements().lockable(sequences));
    }

    /** Starts the timer for the next delayed message or retry. If that fails, the next turn asks again. */
    private void scheduleNextDue() {
        if (!dueTimer.takeQuestion()) {
            return;
        }
        try {
            Duration untilDue =
                    services.outside(() -> services.store().delayed().untilNextDue(destination));
            if (untilDue != null) {
                dueTimer.start(untilDue, services.nanoTime(), this::startTimer);
            }
        } catch (Exception e) {
            dueTimer.ask();
            LOG.log(Level.FINE, "the message that is due next waits for a poll", e);
        }
    }

    private void startTimer(Duration delay) {
        BiConsumer<DestinationWorker, Duration> starter;
        synchronized (this) {
            starter = timer;
        }
        starter.accept(this, delay);
    }
}

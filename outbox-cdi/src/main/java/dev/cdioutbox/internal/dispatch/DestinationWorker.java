package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.dispatch.upkeep.InDoubtTracker;
import dev.cdioutbox.internal.dispatch.worker.DeliveryException;
import dev.cdioutbox.internal.dispatch.worker.DueTimer;
import dev.cdioutbox.internal.dispatch.worker.NextRange;
import dev.cdioutbox.internal.dispatch.worker.WorkerThreads;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.Claim.Lease;
import dev.cdioutbox.internal.store.Claim.PartitionRange;
import dev.cdioutbox.internal.store.NewMessage;

/**
 * Delivers the due messages of one destination on this node: claim, publish, settle, until nothing is left. Up to
 * {@code outbox.dispatcher.concurrency} threads work at a time, each with its own partitions. Workers share no
 * threads, so that a hanging send delays its own destination only. Thread-safe.
 */
public final class DestinationWorker {
    private static final Logger LOG = Logger.getLogger(DestinationWorker.class.getName());

    private final String destination;
    private final String label;
    private final Environment environment;
    private final CrashRecovery crashRecovery;
    private final BooleanSupplier nodeIsAlone;
    private final WorkerThreads threads;
    private final ExactlyOnceProbe probe;
    private final InDoubtTracker inDoubt;
    private final AtomicInteger partitionsHeld = new AtomicInteger();
    /** The leases of batches in flight. */
    private final Set<Lease> leases = ConcurrentHashMap.newKeySet();
    /** Where the next claim looks. */
    private final NextRange next = new NextRange();

    /** Whether the worker still has to ask crash recovery for crashed processes. */
    private volatile boolean isNew = true;

    private volatile boolean isAfterCrash;

    /** The configuration of the last successful probe. */
    private volatile OutboxConfig probed;

    private volatile String shadow;
    private volatile int lastPartition;
    private volatile Executor executor = work -> {};
    private final DueTimer dueTimer = new DueTimer();
    private volatile BiConsumer<DestinationWorker, Duration> timer = (worker, delay) -> {};
    private volatile long timeSlice = Long.MAX_VALUE;

    /** The result of one claim and its batch. */
    private enum Result {
        /** No partition has messages. */
        NO_WORK,
        /** Messages wait in partitions that other threads of this node, which is alone, have locked. */
        LOCKED,
        /** The claimed partitions have messages, but none that can be sent now. */
        ALL_WAITING,
        /** The batch is delivered. Or the claim only moved messages, so that the next claim may find sendable ones. */
        PROGRESS,
        /** The batch is delivered, and nothing was left. Messages may have come to the partitions meanwhile. */
        ALL_DELIVERED
    }

    /** @param nodeIsAlone whether no other process dispatches these messages; false if unknown */
    DestinationWorker(
            String destination, Environment environment, CrashRecovery crashRecovery, BooleanSupplier nodeIsAlone) {
        this.destination = destination;
        this.environment = environment;
        this.crashRecovery = crashRecovery;
        this.nodeIsAlone = nodeIsAlone;
        label = environment.config().label(destination);
        threads = new WorkerThreads(label, environment);
        probe = new ExactlyOnceProbe(destination, environment);
        inDoubt = new InDoubtTracker(label, environment);
    }

    /** The name of the destination that is unique among all outboxes. */
    public String label() {
        return label;
    }

    void useThreads(Executor newExecutor, Duration newTimeSlice) {
        executor = newExecutor;
        timeSlice = newTimeSlice.toNanos();
    }

    void useTimer(BiConsumer<DestinationWorker, Duration> newTimer) {
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
        return threads.failures();
    }

    /**
     * Runs the worker on another thread, for the partitions of these messages. A worker that is off or fails ignores the
     * call and waits for its timer.
     */
    void wake(List<NewMessage> messages) {
        if (messages.stream().anyMatch(message -> message.terms().notBefore() != null)) {
            dueTimer.ask();
        }
        wake(PartitionRange.of(
                messages.stream().map(environment.store()::partitionOf).toList()));
    }

    /** Runs the worker on another thread for messages that are due now. The timer calls this method. */
    public void wakeForDue() {
        dueTimer.fired();
        wake(PartitionRange.ALL);
    }

    private void wake(PartitionRange range) {
        next.add(range);
        if (requestRun()) {
            start(this::runRequested);
        }
    }

    /** @return true if the caller has to start a thread */
    boolean requestRun() {
        return !environment.isStopping()
                && environment.config().dispatcher().enabled()
                && failures() == 0
                && threads.requestRun();
    }

    /**
     * Runs the worker for all partitions, unless such a run ended a moment ago. The worker's timer calls this method.
     *
     * @return null on success; else the failure, which the worker has logged; the messages stay in their queues
     */
    public Throwable poll() {
        long interval = environment.config().dispatcher().interval().toNanos();
        threads.timerCalled();
        return threads.ranRecently(interval / 2) && !threads.isRunRequested() ? null : run();
    }

    /** Runs the worker for all partitions, and again while further runs are requested. Returns as {@link #poll}. */
    public Throwable run() {
        next.add(PartitionRange.ALL);
        return runRequested();
    }

    private Throwable runRequested() {
        long begin = environment.nanoTime();
        while (true) {
            WorkerThreads.Run run =
                    threads.begin(environment.config().dispatcher().concurrency());
            Throwable failure = run == null ? null : runThread(run, begin);
            if (run == null || failure != null || !threads.isRunRequested() || environment.isStopping()) {
                return failure;
            }
            if (isTimeSliceOver(begin)) {
                start(this::runRequested);
                return null;
            }
        }
    }

    /** Joins the calling thread to the run. If the run has failed meanwhile, an outage must not cost one more attempt. */
    private void help() {
        if (failures() == 0) {
            runRequested();
        }
    }

    /** If no thread is available, the current thread or the timer continues the run. */
    private void start(Runnable work) {
        try {
            executor.execute(work);
        } catch (RuntimeException e) {
            LOG.log(Level.FINE, "no thread is available; the current run continues", e);
        }
    }

    /**
     * Whether a thread has worked for long enough. A stopping server waits for each running task before it stops the
     * application, so a task may not last as long as a backlog.
     *
     * @param begin the start of the thread's work, in nanoseconds
     */
    private boolean isTimeSliceOver(long begin) {
        return environment.nanoTime() - begin >= timeSlice;
    }

    private Throwable runThread(WorkerThreads.Run run, long begin) {
        Throwable failure;
        try {
            threads.takeRunRequest();
            environment.notifyEach(l -> l.began(label));
            failure = deliverAll(run, begin);
        } catch (Throwable e) {
            failure = e;
        }
        try {
            threads.end(run, failure);
            if (failure != null) {
                Throwable cause = failure;
                environment.notifyEach(l -> l.runFailed(label, cause));
            }
            environment.notifyEach(l -> l.ended(label, failures()));
        } catch (Throwable e) {
            failure = failure == null ? e : failure;
        }
        return failure;
    }

    private Throwable deliverAll(WorkerThreads.Run run, long begin) {
        boolean hasLeft = false;
        AtomicReference<Exception> releaseFailure = new AtomicReference<>();
        next.join();
        try {
            int partitionsVisited = 0;
            boolean triedAgain = false;
            while (!run.hasFailed() && !environment.isStopping()) {
                // Each batch uses one snapshot of the configuration; the next one sees its changes.
                OutboxConfig config = environment.config();
                if (!switchShadow(config.dispatcher()) || !config.dispatcher().enabled()) {
                    return null;
                }
                PartitionRange range = next.take();
                boolean isOfAll = range.equals(PartitionRange.ALL);
                run.claims(isOfAll);
                recoverAndProbe(config);
                Result result =
                        range.equals(PartitionRange.NONE) ? Result.NO_WORK : deliverNext(config, range, releaseFailure);
                if (result == Result.LOCKED && !triedAgain) {
                    // The thread that holds the partitions takes the range after its batch. If it has ended, this one
                    // does.
                    next.add(range);
                    triedAgain = true;
                }
                if (result == Result.NO_WORK || result == Result.LOCKED) {
                    // Another thread may hold the partitions in which messages wait.
                    if (isAfterCrash && isOfAll && threads.isOnlyThread()) {
                        crashRecovery.workerHasCaughtUp(destination);
                    }
                    hasLeft = next.leaveIfNotNeeded();
                    if (hasLeft) {
                        break;
                    }
                    continue;
                }
                triedAgain = false;
                if (result == Result.ALL_WAITING) {
                    // Partitions without sendable messages say nothing about the other partitions: visit each of
                    // them once.
                    partitionsVisited += Claim.Limits.of(config).partitions();
                    if (partitionsVisited >= config.store().partitions()) {
                        break;
                    }
                } else if (isTimeSliceOver(begin)) {
                    threads.requestRun();
                    return null;
                } else {
                    partitionsVisited = 0;
                }
            }
            if (environment.isStopping()) {
                return null;
            }
            scheduleNextDue();
            return releaseFailure.get();
        } catch (Throwable e) {
            // Errors too: two consecutive failures that reach the container would suspend the timer for minutes.
            if (environment.isStopping()) {
                // The application is stopping: missing beans or resources are no failure of the delivery.
                LOG.log(Level.FINE, "a run ended with its application", e);
                return null;
            }
            return e;
        } finally {
            if (!hasLeft) {
                next.leave();
            }
        }
    }

    /** Asks crash recovery once, and probes after a change of the configuration or a failed run. */
    private void recoverAndProbe(OutboxConfig config) throws Exception {
        if (isNew) {
            isAfterCrash = crashRecovery.prepare(destination, config);
            isNew = false;
        }
        boolean failing = failures() > 0 && !threads.hasDelivered();
        if (failing || !config.equals(probed)) {
            probe.check(config, failing);
            probed = config;
        }
    }

    /**
     * Switches to the shadow destination or back, and logs both with the last shadowed sequence. Shadowing also ends
     * when the dispatcher is disabled, so that no message beyond the logged sequence gets a mark.
     *
     * @return false if the calling thread must end: other threads of the worker may still use the previous
     *     configuration, and only the last one switches
     */
    private boolean switchShadow(DispatcherConfig now) throws Exception {
        String before = shadow;
        String next = now.enabled() ? now.shadowDestination() : null;
        if (Objects.equals(before, next)) {
            return true;
        }
        if (!threads.isOnlyThread()) {
            return false;
        }
        if (before != null) {
            Long highest = environment.outside(() -> environment.store().highestShadowed(destination));
            LOG.info(Problem.SHADOWING_ENDED.text(label, highest == null ? "none" : highest));
        }
        if (next != null) {
            LOG.info(Problem.SHADOWING_BEGINS.text(
                    label, Environment.isNowhere(next) ? "nowhere" : "to '" + next + "'"));
        }
        shadow = next;
        return true;
    }

    /**
     * Moves due delayed messages to their partitions, in a separate transaction. After a failure the worker still
     * delivers other messages, and then its run fails.
     *
     * @param failure of the last call on this thread; null if it succeeded
     * @return whether a message was moved, so that the next claim finds it
     */
    private boolean releaseDelayed(AtomicReference<Exception> failure) {
        try {
            boolean moved = environment.outside(() -> environment.store().releaseDelayed(destination));
            failure.set(null);
            return moved;
        } catch (Exception e) {
            failure.set(e);
            return false;
        }
    }

    /** Claims the next batch among these partitions, publishes and settles it. */
    private Result deliverNext(OutboxConfig config, PartitionRange range, AtomicReference<Exception> releaseFailure)
            throws Exception {
        long start = environment.nanoTime();
        Claim.Limits limits = Claim.Limits.of(config).within(range);
        PartitionRange nextRange;
        Result result;
        try (Claim claim = environment.store().claim(destination, lastPartition, limits)) {
            int partitions = claim.partitions().size();
            Duration took = Duration.ofNanos(environment.nanoTime() - start);
            partitionsHeld.addAndGet(partitions);
            environment.notifyEach(l -> l.claimed(label, partitions, took));
            boolean leased = claim.lease() != null && partitions > 0;
            if (leased) {
                leases.add(claim.lease());
            }
            try {
                // Before the batch, since its send may hang.
                boolean moved = claim.delayedAreDue() && releaseDelayed(releaseFailure);
                if (partitions > 0) {
                    result = deliver(claim, config, limits);
                } else {
                    result = claim.foundLocked() && nodeIsAlone.getAsBoolean() ? Result.LOCKED : Result.NO_WORK;
                }
                nextRange = result == Result.ALL_DELIVERED && !moved && !crashRecovery.hasSuspects(destination)
                        ? rangeAfter(claim, range)
                        : PartitionRange.ALL;
                result = moved ? Result.PROGRESS : result;
            } finally {
                if (leased) {
                    leases.remove(claim.lease());
                }
                partitionsHeld.addAndGet(-partitions);
                environment.notifyEach(l -> l.released(label, partitions));
            }
        }
        if (result != Result.NO_WORK && result != Result.LOCKED) {
            // After the release, so that the next claim finds the partitions free.
            next.add(nextRange);
        }
        return result;
    }

    /**
     * The range to look at after a claim that has left nothing. While the claim held its partitions, messages may have come
     * there, and their wake-up has found the partitions locked. A thread of this node then leaves its range to the holder;
     * another node cannot. A wake-up does not see leased partitions.
     */
    private PartitionRange rangeAfter(Claim claim, PartitionRange range) {
        if (claim.lease() != null || !nodeIsAlone.getAsBoolean()) {
            return PartitionRange.of(claim.partitions());
        }
        return claim.foundLocked() ? range : PartitionRange.NONE;
    }

    private Result deliver(Claim claim, OutboxConfig config, Claim.Limits limits) throws Exception {
        int before = lastPartition;
        removeInDoubt(claim);
        boolean isOfAll = limits.range().equals(PartitionRange.ALL);
        int end = claim.recordEnd(null, before);
        if (isOfAll) {
            // Before the send: another thread, which claims meanwhile, begins after these partitions.
            lastPartition = end;
        }
        if (claim.isEmpty()) {
            return claim.maintained() ? Result.PROGRESS : Result.ALL_WAITING;
        }
        // Request the thread before the send, so that it sends the next batch meanwhile.
        if (!claim.isComplete() && threads.requestThread()) {
            next.add(PartitionRange.ALL);
            start(this::help);
        }
        BatchDelivery delivery =
                new BatchDelivery(environment, destination, config, claim.clock(), claim.lease(), claim.messages());
        OutboxMessage left = publishAndSettle(claim, delivery);
        if (left != null) {
            end = claim.recordEnd(left, before);
            lastPartition = isOfAll ? end : lastPartition;
        }
        threads.delivered();
        // After a failed or unreadable message, its followers may be sendable now.
        boolean isSettled = delivery.isSettled() && claim.unreadable().isEmpty();
        if (!isSettled) {
            dueTimer.ask();
        }
        return isSettled && claim.isComplete() ? Result.ALL_DELIVERED : Result.PROGRESS;
    }

    private void removeInDoubt(Claim claim) throws Exception {
        Set<Long> lockable;
        do {
            lockable = claim.perhapsLocked().isEmpty()
                    ? Set.of()
                    : environment.outside(() -> environment.store().lockable(claim.perhapsLocked()));
            Set<Long> locked = new HashSet<>(claim.perhapsLocked());
            locked.removeAll(lockable);
            if (!locked.isEmpty() && claim.lease() == null) {
                // With a lease, delivery is at-least-once, and its transactions have one branch.
                inDoubt.found(locked);
            }
        } while (claim.removeUnlockable(lockable));
    }

    /** @return the first message left for another batch, or null */
    private OutboxMessage publishAndSettle(Claim claim, BatchDelivery delivery) throws DeliveryException {
        try {
            delivery.charge(List.of(), claim.unreadable());
            return isAfterCrash ? crashRecovery.deliver(delivery) : delivery.deliver();
        } catch (Exception e) {
            // The next claim begins with another partition: the first message may be the cause of the failure.
            lastPartition = claim.partitions().get(0);
            environment.notifyEach(l -> l.failed(label, delivery.batch().size(), e));
            throw new DeliveryException(e);
        }
    }

    /** Starts the timer for the next message that becomes due. A run must not fail after its deliveries: the next one asks. */
    private void scheduleNextDue() {
        if (!dueTimer.takeQuestion()) {
            return;
        }
        try {
            Duration untilDue = environment.outside(() -> environment.store().untilNextDue(destination));
            if (untilDue != null) {
                dueTimer.start(untilDue, environment.nanoTime(), delay -> timer.accept(this, delay));
            }
        } catch (Exception e) {
            dueTimer.ask();
            LOG.log(Level.FINE, "the message that is due next waits for a poll", e);
        }
    }

    /**
     * Renews the leases of batches in flight. Call this often, on a thread that no broker can block: a renewal that fails
     * is tried again at the next call only. The settlement of a batch detects a lease that was lost.
     */
    void renewLeases() {
        for (Lease lease : leases) {
            try {
                environment.outside(() -> environment.store().renew(lease));
            } catch (Exception e) {
                LOG.log(Level.FINE, "a lease could not be renewed", e);
            }
        }
    }

    /** Replaces a timer whose thread hangs in this worker. Call this often, on a thread that sends nothing. */
    public void checkStalled() {
        long interval = environment.config().dispatcher().interval().toNanos();
        if (!environment.isStopping() && threads.isStalled(interval)) {
            start(this::run);
        }
    }
}

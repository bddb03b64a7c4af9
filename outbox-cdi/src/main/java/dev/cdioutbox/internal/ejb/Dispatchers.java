package dev.cdioutbox.internal.ejb;

import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.EJB;
import jakarta.ejb.EJBException;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.Timeout;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.capture.deployment.OptionalBeans;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.StoreConfig.Cdc;
import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.DeadLetterOperations;
import dev.cdioutbox.internal.operate.TransactionalOperations;
import dev.cdioutbox.internal.store.ThisNode;
import dev.cdioutbox.operate.OutboxFinding;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Assembles the dispatchers of all outboxes, and drives them by EJB timers, which are not persistent. The container never
 * overlaps the calls of one timer.
 *
 * <table>
 * <caption>The timers of a node</caption>
 * <tr><th>timer</th><th>period</th><th>does</th></tr>
 * <tr><td>housekeeping</td><td>1 s</td><td>applies a changed configuration; stands in for a worker's timer whose thread
 *     hangs; never blocks</td></tr>
 * <tr><td>leases</td><td>1 s</td><td>renews the leases of batches in flight</td></tr>
 * <tr><td>table check</td><td>10 s</td><td>checks the tables</td></tr>
 * <tr><td>heartbeat</td><td>10 s</td><td>writes this node's row; waits for no other work</td></tr>
 * <tr><td>backlog</td><td>10 s</td><td>counts what waits, asks which rows are still in doubt, continues backfills</td></tr>
 * <tr><td>nodes</td><td>1 min</td><td>finds out whether this node is alone, and whether other modules dispatch the same
 *     messages</td></tr>
 * <tr><td>dead letters</td><td>10 s</td><td>counts the dead letters of consumers</td></tr>
 * <tr><td>sweep</td><td>1 min</td><td>removes old messages, records of the inbox, and rows of nodes and probes</td></tr>
 * <tr><td>diagnosis</td><td>once, after 10 s with tables</td><td>logs what the doctor finds</td></tr>
 * <tr><td>worker</td><td>{@code outbox.dispatcher.interval}</td><td>polls one destination</td></tr>
 * </table>
 *
 * <p>The first of several consecutive failures of a worker is thrown to the container, which retries at once: after a short
 * outage, that often succeeds. Further failures are only logged. For them the container would suspend the timer for
 * nonPersistentRetryInterval (300 s by default on Liberty).
 *
 * <p>Without a publisher and change data capture, the application only captures, and there is no timer.
 */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Dispatchers {
    private static final Logger LOG = Logger.getLogger(Dispatchers.class.getName());
    private static final Duration HOUSEKEEPING = Duration.ofSeconds(1);
    private static final Duration AT_ONCE = Duration.ofMillis(10);
    private static final Duration STATUS_PERIOD = Duration.ofSeconds(10);
    private static final Duration NODES_PERIOD = Duration.ofMinutes(1);
    private static final Duration SWEEP = Duration.ofMinutes(1);
    private static final Duration FIRST_RUN = Duration.ofMillis(500);
    /** After each worker has tried its destination: the messaging of the same server is often up later than the application. */
    private static final Duration DIAGNOSIS = Duration.ofSeconds(10);
    /** How long the stop waits for calls in progress: a question to Kafka may take 5 s. */
    private static final Duration STOP_WAIT = Duration.ofSeconds(6);

    @Resource
    TimerService timers;

    @Inject
    Outboxes outboxes;

    @Inject
    Gauges gauges;

    @Inject
    TransactionalOperations operations;

    @Inject
    DeadLetterOperations deadLetters;

    @EJB
    Transactions transactions;

    @EJB
    ContainerThreads threads;

    /** By their transports. None in an application that only captures. */
    Map<String, OutboxPublisher> publishers = Map.of();

    ApplicationNotifier notifier;

    /** Grows when the tables of an outbox appear, while timers use it. */
    final Map<OpenOutbox, Dispatcher> dispatchers = new ConcurrentHashMap<>();
    /** By the labels of their destinations. */
    final Map<String, DestinationWorker> workers = new ConcurrentHashMap<>();

    private final Map<String, Timer> workerTimers = new ConcurrentHashMap<>();
    /** By the labels of their workers. A timer stays here when it has fired. */
    private final Map<String, Timer> dueTimers = new ConcurrentHashMap<>();

    /** By the labels of their workers. */
    final Map<String, DispatcherConfig> inForce = new ConcurrentHashMap<>();

    /** Each call has one permit; the stop takes all. */
    private final Semaphore calls = new Semaphore(Integer.MAX_VALUE);

    private volatile boolean stopped;

    /** The tasks of the timers. Another timer polls a worker, and has the worker's label instead of work. */
    enum Task {
        HOUSEKEEPING,
        TABLE_CHECK,
        HEARTBEAT,
        BACKLOG,
        BACKFILL,
        NODES,
        SWEEP,
        LEASES,
        DEAD_LETTERS,
        DIAGNOSIS
    }

    /** What a timer does, in an outbox: one whose database hangs must not stop the heartbeats and leases of the others. */
    record Work(Task task, String outbox) implements Serializable {}

    /** Belongs to a timer that calls once, when a message is due. */
    record Due(String worker) implements Serializable {}

    @Inject
    void inject(BeanManager beans) {
        publishers = OptionalBeans.publishers(beans);
        // No method reference: the container may inject the threads after this call.
        notifier = new ApplicationNotifier(beans, work -> threads.execute(work));
    }

    @PostConstruct
    void start() {
        for (OpenOutbox outbox : outboxes.all()) {
            if (publishers.isEmpty()
                    && outbox.config().current().store().cdc().destinations().isEmpty()) {
                continue;
            }
            checkTables(outbox);
            timer(Task.HOUSEKEEPING, outbox, HOUSEKEEPING, HOUSEKEEPING);
            timer(Task.TABLE_CHECK, outbox, FIRST_RUN, STATUS_PERIOD);
            timer(Task.HEARTBEAT, outbox, FIRST_RUN, STATUS_PERIOD);
            timer(Task.BACKLOG, outbox, FIRST_RUN, STATUS_PERIOD);
            timer(Task.NODES, outbox, FIRST_RUN, NODES_PERIOD);
            timer(Task.DEAD_LETTERS, outbox, FIRST_RUN, STATUS_PERIOD);
            timer(Task.SWEEP, outbox, SWEEP, SWEEP);
            timer(Task.LEASES, outbox, HOUSEKEEPING, HOUSEKEEPING);
        }
    }

    /** Not named {@link #start}: GlassFish does not call a {@code @PostConstruct} method that is overloaded. */
    private void begin(OpenOutbox outbox) {
        ThisNode node = node(outbox.config().module());
        Dispatcher dispatcher = new Dispatcher(
                new Services(outbox.store(), publishers, transactions, node, outbox.config()::current, () -> stopped));
        gauges.listeners(outbox, node.id()).forEach(dispatcher::addListener);
        dispatcher.addListener(notifier);
        dispatcher.useThreads(work -> threads.execute(() -> unlessStopped(work)));
        dispatcher.useTimer(this::startDueTimer);
        workers.putAll(dispatcher.workers());
        tick(outbox, dispatcher);
        Map<DispatcherConfig, List<String>> destinations = dispatcher.workers().values().stream()
                .collect(Collectors.groupingBy(
                        DestinationWorker::config, Collectors.mapping(DestinationWorker::label, Collectors.toList())));
        destinations.forEach((config, labels) -> LOG.info(OutboxCode.DISPATCHER_STARTED.text(
                config.enabled() ? "started" : "is off, messages accumulate",
                labels,
                config.interval().toString(),
                config.delivery(),
                config.lease() == null ? "lock" : "lease of " + config.lease())));
        Cdc cdc = outbox.config().current().store().cdc();
        if (!cdc.destinations().isEmpty()) {
            LOG.info(OutboxCode.CDC_STARTED.text(cdc.destinations(), cdc.slot()));
        }
        dispatcher.writeHeartbeat();
        dispatcher.workers().forEach((label, worker) -> {
            inForce.put(label, worker.config());
            workerTimers.put(label, timer(label, FIRST_RUN, worker.config().interval()));
        });
        outbox.capture().addListener(dispatcher::wake);
        // The housekeeping timer uses what stands above.
        dispatchers.put(outbox, dispatcher);
        callLater(new Work(Task.DIAGNOSIS, outbox.name()), DIAGNOSIS);
    }

    private static ThisNode node(String module) {
        String version = Dispatchers.class.getPackage().getImplementationVersion();
        String id = UUID.randomUUID().toString();
        long process = ProcessHandle.current().pid();
        return new ThisNode(id, module, host(), server(), process, version == null ? "unknown" : version);
    }

    /** As Open Liberty, WildFly or GlassFish names it. */
    private static String server() {
        return Stream.of("wlp.server.name", "jboss.server.name", "com.sun.aas.instanceName")
                .map(System::getProperty)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse("unknown");
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            // The host name is information only; the name of the runtime is good enough.
            return ManagementFactory.getRuntimeMXBean().getName();
        }
    }

    /**
     * Ends each run: a batch in flight sends no further message, and settles those that it has sent. Open Liberty does not
     * wait for them, and they would go on without the classes of the application. Deletes this node's rows.
     */
    @PreDestroy
    void stop() {
        stopped = true;
        try {
            // If a call hangs, the stop goes on without it.
            calls.tryAcquire(Integer.MAX_VALUE, STOP_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        dispatchers.values().forEach(Dispatcher::stop);
    }

    private void unlessStopped(Runnable work) {
        if (!stopped && calls.tryAcquire()) {
            try {
                work.run();
            } finally {
                calls.release();
            }
        }
    }

    /** The container calls this method. */
    @Timeout
    void call(Timer timer) {
        unlessStopped(() -> run(timer));
    }

    private void run(Timer timer) {
        try {
            if (timer.getInfo() instanceof Work work) {
                run(work.task, outboxes.get(work.outbox));
            } else if (timer.getInfo() instanceof Due due) {
                workers.get(due.worker()).wakeForDue();
            } else {
                poll(workers.get(timer.getInfo()));
            }
        } catch (ContextNotActiveException | IllegalStateException e) {
            if (!stopped) {
                throw e;
            }
            LOG.log(Level.FINE, "the application ended during a timer's call", e);
        }
    }

    private void run(Task task, OpenOutbox outbox) {
        Dispatcher dispatcher = dispatchers.get(outbox);
        switch (task) {
            case TABLE_CHECK -> checkTables(outbox);
            case DEAD_LETTERS -> deadLetters.look(outbox);
            case DIAGNOSIS -> diagnose(outbox.name());
            default -> {
                if (dispatcher != null) {
                    run(task, outbox, dispatcher);
                }
            }
        }
    }

    private void run(Task task, OpenOutbox outbox, Dispatcher dispatcher) {
        switch (task) {
            case HOUSEKEEPING -> housekeep(outbox, dispatcher);
            case HEARTBEAT -> dispatcher.writeHeartbeat();
            case BACKLOG -> {
                dispatcher.refreshBacklog();
                // On another timer, because the next look at the backlog must not wait for copies.
                if (dispatcher.mayBackfill()) {
                    callAtOnce(Task.BACKFILL, outbox);
                }
            }
            case BACKFILL -> repeatIf(dispatcher.backfill(), task, outbox);
            case SWEEP -> repeatIf(dispatcher.sweep(), task, outbox);
            case NODES -> dispatcher.checkNodes();
            case LEASES -> dispatcher.renewLeases();
            default -> throw new IllegalStateException(String.valueOf(task));
        }
    }

    /** Checks the tables of an outbox, and begins to dispatch it if its tables are there now. */
    private void checkTables(OpenOutbox outbox) {
        Dispatcher dispatcher = dispatchers.get(outbox);
        if (dispatcher != null) {
            dispatcher.checkTables();
            return;
        }
        String problem = outbox.isStoreOpen() ? null : outbox.problem();
        if (problem == null) {
            begin(outbox);
        } else {
            gauges.storeChecked(outbox.name(), problem);
        }
    }

    private void diagnose(String outbox) {
        List<OutboxFinding> found = operations.outbox(outbox).diagnose();
        if (!found.isEmpty()) {
            String lines = found.stream().map(finding -> "\n  " + finding).collect(Collectors.joining());
            LOG.warning(OutboxCode.FINDINGS.text(outbox, found.size(), lines));
        }
    }

    private synchronized void housekeep(OpenOutbox outbox, Dispatcher dispatcher) {
        tick(outbox, dispatcher);
        dispatcher.workers().forEach(this::applyConfig);
        dispatcher.workers().values().forEach(DestinationWorker::checkStalled);
    }

    private static void tick(OpenOutbox outbox, Dispatcher dispatcher) {
        dispatcher.tick();
        outbox.config().refresh();
    }

    /** Applies changes of a destination's configuration. */
    private void applyConfig(String label, DestinationWorker worker) {
        DispatcherConfig now = worker.config();
        DispatcherConfig before = inForce.put(label, now);
        if (now.enabled() != before.enabled()) {
            LOG.info(OutboxCode.DISPATCHER_CHANGED.text(label, "enabled", now.enabled(), before.enabled()));
        }
        if (!now.interval().equals(before.interval())) {
            LOG.info(OutboxCode.DISPATCHER_CHANGED.text(
                    label,
                    "interval",
                    now.interval().toString(),
                    before.interval().toString()));
            workerTimers
                    .put(label, timer(label, now.interval(), now.interval()))
                    .cancel();
        }
    }

    /** Sweeps all outboxes. */
    public void sweep() {
        dispatchers.forEach((outbox, dispatcher) -> repeatIf(dispatcher.sweep(), Task.SWEEP, outbox));
    }

    /** Works in many short calls instead of a long one: a stopping server waits for a running call. */
    private void repeatIf(boolean more, Task task, OpenOutbox outbox) {
        if (more) {
            callAtOnce(task, outbox);
        }
    }

    private void callAtOnce(Task task, OpenOutbox outbox) {
        try {
            callLater(new Work(task, outbox.name()), AT_ONCE);
        } catch (IllegalStateException | EJBException refused) {
            LOG.log(Level.FINE, refused, () -> task + " goes on with its next call");
        }
    }

    private void callLater(Work work, Duration delay) {
        timers.createSingleActionTimer(delay.toMillis(), new TimerConfig(work, false));
    }

    /** Each worker has at most one such timer: a second one for the same time would run the worker once more. */
    void startDueTimer(DestinationWorker worker, Duration delay) {
        // Rounded up: before its time, the message is not due.
        Timer previous = dueTimers.put(
                worker.label(),
                timers.createSingleActionTimer(delay.toMillis() + 1, new TimerConfig(new Due(worker.label()), false)));
        try {
            if (previous != null) {
                previous.cancel();
            }
        } catch (IllegalStateException | EJBException fired) {
            LOG.log(Level.FINE, "the previous timer has fired", fired);
        }
    }

    private static void poll(DestinationWorker worker) {
        throwIfFirst(worker.poll(), worker.failures());
    }

    /**
     * Throws a failure to the container if it is the first of several consecutive ones.
     *
     * @param failure of this call, or null
     * @param failures the number of consecutive failed runs of the worker
     */
    static void throwIfFirst(Throwable failure, int failures) {
        if (failure != null && failures == 1) {
            throw new RetryAtOnce(failure);
        }
    }

    /**
     * Asks the container for its retry. Has neither stack trace nor cause, which the container would log in a hundred lines,
     * and nobody would find the line of the outbox between them.
     */
    static final class RetryAtOnce extends EJBException {
        private static final long serialVersionUID = 1;

        RetryAtOnce(Throwable failure) {
            super(FailureReason.of(failure));
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    private void timer(Task task, OpenOutbox outbox, Duration first, Duration interval) {
        timer(new Work(task, outbox.name()), first, interval);
    }

    /** @param info work, or the label of a worker */
    private Timer timer(Serializable info, Duration first, Duration interval) {
        return timers.createIntervalTimer(first.toMillis(), interval.toMillis(), new TimerConfig(info, false));
    }
}

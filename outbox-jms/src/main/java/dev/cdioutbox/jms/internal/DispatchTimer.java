package dev.cdioutbox.jms.internal;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

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
import jakarta.inject.Inject;
import jakarta.jms.ConnectionFactory;

import dev.cdioutbox.internal.capture.CaptureListener;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NewMessage;

/**
 * Drives the dispatcher by non-persistent EJB timers: one for housekeeping, which follows the configuration and waits
 * for nothing; one that checks the tables; one that reads the backlog and writes the heartbeat; one that sweeps; one
 * that renews leases; and one for each worker, whose calls the container never overlaps.
 *
 * <p>The first failure in a row of a worker is thrown to the container, which then retries once at once. Further
 * failures are only logged: the container would wait for nonPersistentRetryInterval (300 s by default on Liberty) and
 * suspend the schedule.
 *
 * <p>The resource reference is for users who bind it to a connection factory with a commit-priority, which a direct
 * look-up cannot have. It is looked up only if a destination names it.
 */
@Singleton
@Startup
@Resource(name = "cdioutbox/broker", type = ConnectionFactory.class)
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class DispatchTimer {
    private static final Logger LOG = Logger.getLogger(DispatchTimer.class.getName());
    private static final Duration HOUSEKEEPING = Duration.ofSeconds(1);
    private static final Duration AT_ONCE = Duration.ofMillis(10);
    private static final Duration STATUS_PERIOD = Duration.ofSeconds(5);
    private static final Duration SWEEP = Duration.ofMinutes(1);
    private static final Duration FIRST_RUN = Duration.ofMillis(500);

    @Resource
    TimerService timers;

    @Inject
    DispatchService service;

    @EJB
    WorkerStarter runner;

    private final Map<String, Timer> workerTimers = new HashMap<>();
    private final Map<OutboxDispatch, CommitWakeUp> wakeUps = new LinkedHashMap<>();
    private final Map<OutboxDispatch, DispatcherConfig> inForce = new HashMap<>();

    /**
     * Workers with a failure that was thrown: none is thrown again before a success, even where failures of several
     * threads count as one.
     */
    private final Set<String> thrown = ConcurrentHashMap.newKeySet();

    private volatile boolean stopped;

    @PostConstruct
    void start() {
        service.tick();
        service.dispatches().forEach(this::announce);
        service.startThreadsWith(runner::joinRun);
        service.handOverWith(runner::wake);
        service.register();
        timer(new TimerCall(TimerCall.Kind.HOUSEKEEPING, null), HOUSEKEEPING, HOUSEKEEPING);
        timer(new TimerCall(TimerCall.Kind.TABLE_CHECK, null), FIRST_RUN, STATUS_PERIOD);
        timer(new TimerCall(TimerCall.Kind.BACKLOG, null), FIRST_RUN, STATUS_PERIOD);
        timer(new TimerCall(TimerCall.Kind.SWEEP, null), SWEEP, SWEEP);
        timer(new TimerCall(TimerCall.Kind.LEASES, null), HOUSEKEEPING, HOUSEKEEPING);
        inForce.forEach((dispatch, config) -> dispatch.workers()
                .keySet()
                .forEach(worker -> workerTimers.put(worker, workerTimer(worker, FIRST_RUN, config.interval()))));
        wakeUps.forEach((dispatch, wakeUp) -> dispatch.outbox().capture().addListener(wakeUp));
    }

    private void announce(OutboxDispatch dispatch) {
        DispatcherConfig config = dispatch.config().dispatcher();
        LOG.info(Problem.DISPATCHER_STARTED.text(
                config.enabled() ? "started" : "is off, messages accumulate",
                dispatch.workers().keySet(),
                config.interval(),
                config.delivery(),
                config.lease() == null ? "lock" : "lease of " + config.lease()));
        inForce.put(dispatch, config);
        wakeUps.put(dispatch, new CommitWakeUp(dispatch));
    }

    @PreDestroy
    void stop() {
        stopped = true;
        wakeUps.forEach((dispatch, wakeUp) -> dispatch.outbox().capture().removeListener(wakeUp));
        service.stop();
    }

    /** Called by the container. */
    @Timeout
    void call(Timer timer) {
        try {
            run((TimerCall) timer.getInfo());
        } catch (ContextNotActiveException | IllegalStateException e) {
            if (!stopped) {
                throw e;
            }
            LOG.log(Level.FINE, "the application ended during a timer's call", e);
        }
    }

    private void run(TimerCall call) {
        switch (call.kind()) {
            case HOUSEKEEPING -> housekeep();
            case TABLE_CHECK -> checkTables();
            case BACKLOG -> refreshBacklog();
            case SWEEP -> sweep();
            case LEASES -> renewLeases();
            case WORKER -> worker(call.destination());
        }
    }

    private synchronized void housekeep() {
        service.tick();
        service.dispatches().forEach(this::applyConfig);
        service.checkStalled();
    }

    /** Applies changes of an outbox's configuration. */
    private void applyConfig(OutboxDispatch dispatch) {
        DispatcherConfig before = inForce.get(dispatch);
        DispatcherConfig now = dispatch.config().dispatcher();
        if (now.enabled() != before.enabled()) {
            logChange(dispatch, "outbox.dispatcher.enabled", now.enabled(), before.enabled());
        }
        if (!now.interval().equals(before.interval())) {
            logChange(dispatch, "outbox.dispatcher.interval", now.interval(), before.interval());
            dispatch.workers()
                    .keySet()
                    .forEach(worker ->
                            workerTimers.compute(worker, (same, old) -> replaced(worker, old, now.interval())));
        }
        inForce.put(dispatch, now);
    }

    private static void logChange(OutboxDispatch dispatch, String key, Object now, Object before) {
        LOG.info(Problem.DISPATCHER_CHANGED.text(
                dispatch.outbox().name(), dispatch.outbox().config().spelled(key), now, before));
    }

    /** Creates the new timer first: if its creation fails, the worker keeps the old one. */
    private Timer replaced(String worker, Timer old, Duration interval) {
        Timer replacement = workerTimer(worker, interval, interval);
        try {
            old.cancel();
        } catch (IllegalStateException | EJBException gone) {
            LOG.log(Level.FINE, "a destination worker's timer was gone already", gone);
        }
        return replacement;
    }

    private void renewLeases() {
        try {
            service.renewLeases();
        } catch (RuntimeException e) {
            // The next call comes in a second; an expired lease is detected when its batch is settled.
            LOG.log(Level.FINE, "leases could not be renewed", e);
        }
    }

    private void checkTables() {
        try {
            service.checkTables();
        } catch (RuntimeException e) {
            // The readiness check reports it.
            LOG.log(Level.FINE, "the tables could not be looked at", e);
        }
    }

    private void refreshBacklog() {
        try {
            service.refreshBacklog();
        } catch (RuntimeException e) {
            // The workers meet the same database and report it; what was read last stays, and its age grows.
            LOG.log(Level.FINE, "the backlog could not be read", e);
        }
    }

    /**
     * A large backlog of old messages is removed by many short calls, each on its own thread, and not by a long one.
     */
    private void sweep() {
        if (service.sweep()) {
            try {
                timers.createSingleActionTimer(
                        AT_ONCE.toMillis(), new TimerConfig(new TimerCall(TimerCall.Kind.SWEEP, null), false));
            } catch (IllegalStateException | EJBException refused) {
                LOG.log(Level.FINE, "the sweep goes on within a minute", refused);
            }
        }
    }

    private void worker(String destination) {
        Throwable failure = service.poll(destination);
        if (failure == null) {
            thrown.remove(destination);
        } else if (service.isFirstFailure(destination) && thrown.add(destination)) {
            throw new EJBException(failure.getMessage(), failure instanceof Exception e ? e : new Exception(failure));
        }
    }

    private Timer workerTimer(String worker, Duration first, Duration interval) {
        return timer(new TimerCall(TimerCall.Kind.WORKER, worker), first, interval);
    }

    private Timer timer(TimerCall call, Duration first, Duration interval) {
        return timers.createIntervalTimer(first.toMillis(), interval.toMillis(), new TimerConfig(call, false));
    }

    /** After a commit with messages, starts their workers. One call at a time, for any number of commits. */
    private final class CommitWakeUp implements CaptureListener {
        private final OutboxDispatch dispatch;

        private CommitWakeUp(OutboxDispatch dispatch) {
            this.dispatch = dispatch;
        }

        @Override
        public void captured(List<NewMessage> messages) {
            messages.stream()
                    .map(NewMessage::destination)
                    .distinct()
                    .map(dispatch.outbox()::label)
                    .filter(service::requestRun)
                    .forEach(runner::wake);
        }
    }
}

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
 * Drives the dispatcher by EJB timers that are not persistent: a pulse, which waits for nothing and follows the
 * configuration; a look at the tables, and a watch, which reads the backlog; a sweep; one that renews leases; and one for each
 * lane, which the container never lets overlap itself.
 *
 * <p>A lane's first failure in a row is thrown to the container, which calls once more at once: its own retry. The next
 * ones are swallowed, since then the container would wait for nonPersistentRetryInterval (300 s by default on Liberty)
 * and stop the schedule meanwhile; so the schedule goes on at the outbox's interval.
 *
 * <p>The reference is there for whoever binds it to a connection factory and gives it a commit-priority: what a direct
 * look-up finds can have none. It is looked up only if a destination names it.
 */
@Singleton
@Startup
@Resource(name = "cdioutbox/broker", type = ConnectionFactory.class)
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class DispatchTimer {
    private static final Logger LOG = Logger.getLogger(DispatchTimer.class.getName());
    private static final Duration PULSE = Duration.ofSeconds(1);
    private static final Duration AT_ONCE = Duration.ofMillis(10);
    private static final Duration WATCH = Duration.ofSeconds(5);
    private static final Duration SWEEP = Duration.ofMinutes(1);
    private static final Duration FIRST_RUN = Duration.ofMillis(500);

    @Resource
    TimerService timers;

    @Inject
    DispatchService service;

    @EJB
    LaneRunner runner;

    private final Map<String, Timer> laneTimers = new HashMap<>();
    private final Map<OutboxDispatch, Doorbell> doorbells = new LinkedHashMap<>();
    private final Map<OutboxDispatch, DispatcherConfig> inForce = new HashMap<>();

    /** Lanes of which a failure was thrown: none is again before a good call, also where several threads' failures count as one. */
    private final Set<String> thrown = ConcurrentHashMap.newKeySet();

    private volatile boolean stopped;

    @PostConstruct
    void start() {
        service.tick();
        service.dispatches().forEach(this::announce);
        service.helpWith(runner::help);
        service.relieveWith(runner::wake);
        service.register();
        timer(new TimerCall(TimerCall.Kind.PULSE, null), PULSE, PULSE);
        timer(new TimerCall(TimerCall.Kind.LOOK, null), FIRST_RUN, WATCH);
        timer(new TimerCall(TimerCall.Kind.WATCH, null), FIRST_RUN, WATCH);
        timer(new TimerCall(TimerCall.Kind.SWEEP, null), SWEEP, SWEEP);
        timer(new TimerCall(TimerCall.Kind.LEASES, null), PULSE, PULSE);
        inForce.forEach((dispatch, config) -> dispatch.lanes()
                .keySet()
                .forEach(lane -> laneTimers.put(lane, laneTimer(lane, FIRST_RUN, config.interval()))));
        doorbells.forEach((dispatch, doorbell) -> dispatch.outbox().capture().addListener(doorbell));
    }

    private void announce(OutboxDispatch dispatch) {
        DispatcherConfig config = dispatch.config().dispatcher();
        LOG.info(Problem.DISPATCHER_STARTED.text(
                config.enabled() ? "started" : "is off, messages accumulate",
                dispatch.lanes().keySet(),
                config.interval(),
                config.delivery(),
                config.lease() == null ? "lock" : "lease of " + config.lease()));
        inForce.put(dispatch, config);
        doorbells.put(dispatch, new Doorbell(dispatch));
    }

    @PreDestroy
    void stop() {
        stopped = true;
        doorbells.forEach((dispatch, doorbell) -> dispatch.outbox().capture().removeListener(doorbell));
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
            case PULSE -> pulse();
            case LOOK -> look();
            case WATCH -> watch();
            case SWEEP -> sweep();
            case LEASES -> renewLeases();
            case LANE -> lane(call.destination());
        }
    }

    private synchronized void pulse() {
        service.tick();
        service.dispatches().forEach(this::follow);
        service.relieve();
    }

    /** Follows what was changed in an outbox's configuration. */
    private void follow(OutboxDispatch dispatch) {
        DispatcherConfig before = inForce.get(dispatch);
        DispatcherConfig now = dispatch.config().dispatcher();
        if (now.enabled() != before.enabled()) {
            tell(dispatch, "outbox.dispatcher.enabled", now.enabled(), before.enabled());
        }
        if (!now.interval().equals(before.interval())) {
            tell(dispatch, "outbox.dispatcher.interval", now.interval(), before.interval());
            dispatch.lanes()
                    .keySet()
                    .forEach(lane -> laneTimers.compute(lane, (same, old) -> replaced(lane, old, now.interval())));
        }
        inForce.put(dispatch, now);
    }

    private static void tell(OutboxDispatch dispatch, String key, Object now, Object before) {
        LOG.info(Problem.DISPATCHER_CHANGED.text(
                dispatch.outbox().name(), dispatch.outbox().config().spelled(key), now, before));
    }

    /** The new one first: were the old one gone and the new one refused, the lane would have none. */
    private Timer replaced(String lane, Timer old, Duration interval) {
        Timer replacement = laneTimer(lane, interval, interval);
        try {
            old.cancel();
        } catch (IllegalStateException | EJBException gone) {
            LOG.log(Level.FINE, "a lane's timer was gone already", gone);
        }
        return replacement;
    }

    private void renewLeases() {
        try {
            service.renewLeases();
        } catch (RuntimeException e) {
            // It is tried again in a second; a lease that runs out meanwhile is noticed when its batch is settled.
            LOG.log(Level.FINE, "leases could not be renewed", e);
        }
    }

    private void look() {
        try {
            service.look();
        } catch (RuntimeException e) {
            // The readiness tells it.
            LOG.log(Level.FINE, "the tables could not be looked at", e);
        }
    }

    private void watch() {
        try {
            service.watch();
        } catch (RuntimeException e) {
            // The lanes meet the same database and report it; what was read last stays, and its age grows.
            LOG.log(Level.FINE, "the backlog could not be read", e);
        }
    }

    /** A large heap of old messages is removed by many short calls, each with its own thread, and not by a long one. */
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

    private void lane(String destination) {
        Throwable failure = service.poll(destination);
        if (failure == null) {
            thrown.remove(destination);
        } else if (service.isFirstFailure(destination) && thrown.add(destination)) {
            throw new EJBException(failure.getMessage(), failure instanceof Exception e ? e : new Exception(failure));
        }
    }

    private Timer laneTimer(String lane, Duration first, Duration interval) {
        return timer(new TimerCall(TimerCall.Kind.LANE, lane), first, interval);
    }

    private Timer timer(TimerCall call, Duration first, Duration interval) {
        return timers.createIntervalTimer(first.toMillis(), interval.toMillis(), new TimerConfig(call, false));
    }

    /** A commit brought messages: their lanes need not wait for the timer. One call at a time, however many commits. */
    private final class Doorbell implements CaptureListener {
        private final OutboxDispatch dispatch;

        private Doorbell(OutboxDispatch dispatch) {
            this.dispatch = dispatch;
        }

        @Override
        public void captured(List<NewMessage> messages) {
            messages.stream()
                    .map(NewMessage::destination)
                    .distinct()
                    .map(dispatch.outbox()::label)
                    .filter(service::ring)
                    .forEach(runner::wake);
        }
    }
}

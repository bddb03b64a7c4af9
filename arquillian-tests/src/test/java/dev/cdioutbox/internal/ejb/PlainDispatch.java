package dev.cdioutbox.internal.ejb;

import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;

import dev.cdioutbox.internal.consume.PausedConsumers;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.DeadLetterOperations;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Dispatches in a plain JVM: the real timer bean, with executors in place of the EJB
 * container. Intervals of a minute and more, such as the purge's, are shorter.
 */
public final class PlainDispatch {
    private static final Logger LOG = Logger.getLogger(PlainDispatch.class.getName());
    private static final Duration LONG_INTERVAL = Duration.ofMinutes(1);

    private final Dispatchers timer = new Dispatchers();
    private final ScheduledExecutorService threads;
    private final Duration insteadOfLong;

    /**
     * @param publishers by their transports
     * @param threads run the timers and the wake-ups
     * @param wakeUps runs the wake-ups after commits; different from the threads only in a test of lost wake-ups
     * @param insteadOfLong the interval of the timers that call once a minute or less often
     */
    public PlainDispatch(
            Outboxes outboxes,
            Map<String, OutboxPublisher> publishers,
            Transactions transactions,
            ScheduledExecutorService threads,
            Executor wakeUps,
            Duration insteadOfLong) {
        this.threads = threads;
        this.insteadOfLong = insteadOfLong;
        timer.outboxes = outboxes;
        timer.publishers = publishers;
        timer.notifier =
                new ApplicationNotifier(new ObserverQueue(event -> false, event -> {}, wakeUps, System::nanoTime));
        timer.gauges = new NoListeners();
        timer.paused = new PausedConsumers();
        timer.deadLetters = new DeadLetterOperations();
        timer.transactions = transactions;
        timer.senders = new Senders(wakeUps);
        timer.threads = new Handlers(wakeUps);
        timer.timers = timers();
    }

    public void start() {
        timer.start();
    }

    public void stop() {
        timer.stop();
    }

    private TimerService timers() {
        return (TimerService) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {TimerService.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "createIntervalTimer" ->
                        repeat((long) arguments[0], (long) arguments[1], (TimerConfig) arguments[2]);
                    case "createSingleActionTimer" -> once((long) arguments[0], (TimerConfig) arguments[1]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private Timer repeat(long first, long interval, TimerConfig config) {
        boolean isLong = interval >= LONG_INTERVAL.toMillis();
        long period = isLong ? insteadOfLong.toMillis() : interval;
        ScheduledFuture<?>[] future = {null};
        Timer handle = handle(config.getInfo(), () -> future[0].cancel(false));
        future[0] =
                threads.scheduleAtFixedRate(() -> call(handle), isLong ? period : first, period, TimeUnit.MILLISECONDS);
        return handle;
    }

    private Timer once(long after, TimerConfig config) {
        Timer handle = handle(config.getInfo(), () -> {});
        boolean asksOperations =
                config.getInfo() instanceof DispatchedOutbox.Call call && call.timer() == OutboxTimer.DIAGNOSIS;
        // There are no operations here.
        if (!asksOperations) {
            threads.schedule(() -> call(handle), after, TimeUnit.MILLISECONDS);
        }
        return handle;
    }

    /** Repeats a call that throws, once and at once, as Open Liberty does. */
    private void call(Timer handle) {
        try {
            timer.call(handle);
        } catch (RuntimeException first) {
            try {
                timer.call(handle);
            } catch (RuntimeException second) {
                LOG.log(Level.WARNING, "A timer call failed twice.", second);
            }
        }
    }

    private static Timer handle(Serializable info, Runnable cancel) {
        return (Timer) Proxy.newProxyInstance(
                PlainDispatch.class.getClassLoader(),
                new Class<?>[] {Timer.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getInfo" -> info;
                    case "cancel" -> {
                        cancel.run();
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    /** A plain JVM has no metrics and no health. */
    private static final class NoListeners extends Gauges {
        @Override
        public List<DispatchListener> listeners(OutboxInstance outbox, String node) {
            return new ArrayList<>();
        }
    }

    private static final class Senders extends SenderThreads {
        private final Executor threads;

        Senders(Executor threads) {
            this.threads = threads;
        }

        @Override
        public void execute(Runnable work) {
            threads.execute(work);
        }
    }

    private static final class Handlers extends ApplicationThreads {
        private final Executor threads;

        Handlers(Executor threads) {
            this.threads = threads;
        }

        @Override
        public void execute(Runnable work) {
            threads.execute(work);
        }
    }
}

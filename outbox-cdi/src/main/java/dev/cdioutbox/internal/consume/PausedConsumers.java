package dev.cdioutbox.internal.consume;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.outbox.Outboxes;

/**
 * Stops the deliveries to message-driven beans while their database is away, since each would fail and use up one of the broker's
 * redeliveries. A failed delivery is the evidence, and a look at the database confirms it. Later looks, which the timers make
 * anyway, resume the beans that were paused here, and no others. Thread-safe.
 */
@ApplicationScoped
public class PausedConsumers implements DispatchListener {
    private static final Logger LOG = Logger.getLogger(PausedConsumers.class.getName());

    /** Long enough for the server to stop further deliveries. It then waits for this one, so it must end. */
    private static final Duration HOLD = Duration.ofSeconds(2);

    /** The outbox that the delivery on this thread could not reach. */
    private static final ThreadLocal<String> UNREACHED = new ThreadLocal<>();

    @Inject
    Outboxes outboxes;

    private final UnaryOperator<String> looks;
    /** By their endpoints. */
    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();

    /** Null until the application has started. */
    private volatile Executor threads;

    public PausedConsumers() {
        looks = outbox -> outboxes.get(outbox).problem();
    }

    /** @param looks asks why an outbox cannot be used; null if it can */
    PausedConsumers(UnaryOperator<String> looks) {
        this.looks = looks;
    }

    /** @param container calls the server, which waits for deliveries in progress */
    public void useThreads(Executor container) {
        threads = container;
    }

    /** Notes that a delivery failed on this thread because an outbox could not be reached. */
    static void notReached(String outbox) {
        UNREACHED.set(outbox);
    }

    /**
     * Pauses a message-driven bean if its delivery on this thread has failed because its database is away. Holds the thread
     * meanwhile, for at most two seconds: otherwise it would fail with the next messages.
     *
     * @param bean its name in its module
     */
    public void deliveryFailed(String bean) {
        String outbox = UNREACHED.get();
        if (outbox == null) {
            return;
        }
        UNREACHED.remove();
        try {
            String endpoint = threads == null ? null : MessageEndpoints.of(bean);
            if (endpoint != null) {
                suspect(endpoint, outbox);
            }
        } catch (RuntimeException e) {
            // The container must get the failure of the delivery, and not this one.
            LOG.log(Level.FINE, e, () -> "the consumer " + bean + " is not paused");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void suspect(String endpoint, String outbox) throws InterruptedException {
        Pause begun = new Pause(endpoint, outbox);
        Pause current = pauses.compute(endpoint, (key, before) -> before == null || before.isNoMore() ? begun : before);
        if (current == begun) {
            try {
                threads.execute(begun::begin);
            } catch (RuntimeException e) {
                pauses.remove(endpoint, begun);
                throw e;
            }
        }
        current.await();
    }

    @Override
    public void storeChecked(String outbox, String problem) {
        if (problem == null) {
            of(outbox).stream().filter(Pause::hasBegun).forEach(pause -> threads.execute(pause::end));
        }
    }

    private Collection<Pause> of(String outbox) {
        return pauses.values().stream()
                .filter(pause -> pause.outbox.equals(outbox))
                .toList();
    }

    /** The endpoints that are paused, of beans of all outboxes. */
    public Collection<String> endpoints() {
        return List.copyOf(pauses.keySet());
    }

    /** What is paused for the sake of an outbox. */
    public List<Finding> findings(String outbox) {
        return of(outbox).stream()
                .filter(pause -> pause.finding != null)
                .map(pause -> pause.finding)
                .toList();
    }

    private final class Pause {
        private final String endpoint;
        private final String outbox;
        private final CountDownLatch beginning = new CountDownLatch(1);
        private final AtomicBoolean ending = new AtomicBoolean();
        /** Null before the database was looked at. */
        private volatile Finding finding;

        Pause(String endpoint, String outbox) {
            this.endpoint = endpoint;
            this.outbox = outbox;
        }

        boolean hasBegun() {
            return beginning.getCount() == 0;
        }

        /** By an operator, or by a pause that has failed. */
        boolean isNoMore() {
            return hasBegun() && !MessageEndpoints.isPaused(endpoint);
        }

        void await() throws InterruptedException {
            beginning.await(HOLD.toMillis(), TimeUnit.MILLISECONDS);
        }

        void begin() {
            try {
                String problem = looks.apply(outbox);
                // What an operator has paused, only an operator resumes.
                if (problem != null && !MessageEndpoints.isPaused(endpoint)) {
                    finding = OutboxCode.CONSUMER_PAUSED.finding(endpoint, outbox, problem);
                    LOG.warning(finding.toString());
                    MessageEndpoints.pause(endpoint);
                }
            } catch (RuntimeException e) {
                LOG.log(
                        Level.WARNING,
                        OutboxCode.CONSUMER_NOT_SWITCHED.text("paused", endpoint, FailureReason.of(e)),
                        e);
            } finally {
                // A pause that has failed may have stopped the deliveries nevertheless, so it has to be ended.
                if (finding == null) {
                    pauses.remove(endpoint, this);
                }
                beginning.countDown();
            }
        }

        void end() {
            if (!ending.compareAndSet(false, true)) {
                return;
            }
            try {
                if (MessageEndpoints.isPaused(endpoint)) {
                    MessageEndpoints.resume(endpoint);
                }
                pauses.remove(endpoint, this);
                LOG.info(OutboxCode.CONSUMER_RESUMED.text(endpoint, outbox));
            } catch (RuntimeException e) {
                LOG.log(
                        Level.WARNING,
                        OutboxCode.CONSUMER_NOT_SWITCHED.text("resumed", endpoint, FailureReason.of(e)),
                        e);
            } finally {
                ending.set(false);
            }
        }
    }
}

package dev.cdioutbox.internal.ejb;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.EJB;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.Timeout;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.consume.PausedConsumers;
import dev.cdioutbox.internal.deployment.OptionalBeans;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.DeadLetterOperations;
import dev.cdioutbox.internal.operate.TransactionalOperations;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Assembles the dispatchers of all outboxes, and passes them the calls of their EJB timers, which are not persistent: {@link
 * OutboxTimer} lists those of an outbox, and {@link WorkerTimer} has those of a worker.
 *
 * <p>Without a publisher and change data capture, the application only captures, and there is no timer.
 */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Dispatchers {
    private static final Logger LOG = Logger.getLogger(Dispatchers.class.getName());

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

    @Inject
    PausedConsumers paused;

    @EJB
    Transactions transactions;

    @EJB
    SenderThreads senders;

    @EJB
    ApplicationThreads threads;

    /** By their transports. None in an application that only captures. */
    Map<String, OutboxPublisher> publishers = Map.of();

    ApplicationNotifier notifier;

    /** By the names of the outboxes. */
    private final Map<String, DispatchedOutbox> dispatched = new ConcurrentHashMap<>();

    private final RunningCalls calls = new RunningCalls();

    @Inject
    void inject(BeanManager beans) {
        publishers = OptionalBeans.publishers(beans);
        // No method reference: the container may inject the threads after this call.
        notifier = new ApplicationNotifier(beans, work -> threads.execute(work));
    }

    @PostConstruct
    void start() {
        paused.useThreads(work -> threads.execute(() -> calls.unlessStopping(work)));
        outboxes.all().stream().filter(this::isDispatched).map(this::add).forEach(DispatchedOutbox::start);
    }

    private boolean isDispatched(OutboxInstance outbox) {
        return !publishers.isEmpty()
                || !outbox.config().current().store().cdc().destinations().isEmpty();
    }

    DispatchedOutbox add(OutboxInstance outbox) {
        DispatchedOutbox added = new DispatchedOutbox(outbox, timers, gauges, operations, deadLetters, this::assemble);
        dispatched.put(outbox.name(), added);
        return added;
    }

    private Dispatcher assemble(OutboxInstance outbox) {
        ThisNode node = NodeIdentity.of(outbox.config().module());
        Environment environment = new Environment(transactions, calls::areStopping);
        Dispatcher dispatcher = new Dispatcher(outbox.store(), publishers, node, outbox.config()::current, environment);
        gauges.listeners(outbox, node.id()).forEach(dispatcher::addListener);
        dispatcher.addListener(notifier);
        outbox.captured().add(notifier);
        dispatcher.useThreads(
                work -> senders.execute(() -> calls.unlessStopping(work)),
                work -> threads.execute(() -> calls.unlessStopping(work)));
        return dispatcher;
    }

    /**
     * Ends each run: a batch in flight sends no further message, and settles those that it has sent. Then deletes this node's
     * rows.
     */
    @PreDestroy
    void stop() {
        calls.stop();
        dispatched.values().forEach(outbox -> outbox.dispatcher().ifPresent(Dispatcher::deleteNodeRow));
    }

    /** The container calls this method. */
    @Timeout
    void call(Timer timer) {
        calls.unlessStopping(() -> run(timer));
    }

    private void run(Timer timer) {
        try {
            if (timer.getInfo() instanceof WorkerTimer.Call call) {
                dispatched.get(call.outbox()).worker(call.destination()).call(call.reason());
            } else if (timer.getInfo() instanceof DispatchedOutbox.Call call) {
                call.timer().action.accept(dispatched.get(call.outbox()));
            }
        } catch (ContextNotActiveException | IllegalStateException e) {
            if (!calls.areStopping()) {
                throw e;
            }
            LOG.log(Level.FINE, "the application ended during a timer's call", e);
        }
    }

    /** Purges all outboxes. */
    public void purge() {
        dispatched.values().forEach(DispatchedOutbox::purge);
    }
}

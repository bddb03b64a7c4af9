package dev.cdioutbox.tests.bench;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/** A dispatcher with the threads and timers of a server. Its transport for JMS does nothing. */
final class Node implements AutoCloseable {
    /** The periods of a server's timers. */
    private static final Duration STATUS_PERIOD = Duration.ofSeconds(10);

    private static final Duration PURGE_PERIOD = Duration.ofMinutes(1);

    private static final int WAKE_UP_MILLIS = 20;

    /** A worker, the thread that continues its work, and two timers. */
    private static final int THREADS = 4;

    private final ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(THREADS);
    private final Deliveries deliveries;
    private final Dispatcher dispatcher;
    private final Collection<DestinationWorker> workers;
    /** A message in the first and one in the last partition of each destination. */
    private final List<NewMessage> inAllPartitions;

    private final AtomicInteger backlogs = new AtomicInteger();
    private volatile boolean stopping;

    /** @param deliveries gets the messages and the failures of the node */
    Node(
            JdbcOutboxStore store,
            OutboxPublisher kafka,
            Transactions transactions,
            OutboxConfig config,
            Deliveries deliveries) {
        this.deliveries = deliveries;
        ThisNode identity = new ThisNode(
                "node-" + UUID.randomUUID(),
                config.store().application(),
                "host",
                "server",
                ProcessHandle.current().pid(),
                "bench");
        dispatcher = new Dispatcher(
                store,
                Map.of("jms", new NoTransport(), "kafka", kafka),
                identity,
                () -> config,
                new Environment(transactions, () -> stopping));
        workers = dispatcher.workers().values();
        int last = config.store().partitions() - 1;
        inAllPartitions = config.destinations().keySet().stream()
                .flatMap(destination -> Stream.of(0, last)
                        .map(partition -> Engine.message(Engine.keyIn(partition, last + 1), "", destination)))
                .toList();
        listen(messages -> deliveries.add(messages, message -> message.event().key(), OutboxMessage::sequence));
        dispatcher.addListener(new DispatchListener() {
            @Override
            public void runFailed(DestinationId destination, int failures, Throwable cause) {
                deliveries.failed(cause);
            }

            @Override
            public void backlog(String outbox, OutboxBacklog backlog) {
                backlogs.incrementAndGet();
            }
        });
        dispatcher.useThreads(threads);
        dispatcher.writeHeartbeat();
        repeat(STATUS_PERIOD, this::refreshStatus);
        repeat(PURGE_PERIOD, () -> {
            while (dispatcher.purge()) {
                // Each call removes a part.
            }
            return null;
        });
        workers.forEach(worker -> repeat(config.dispatcher().interval(), worker::poll));
    }

    /** @param listener gets the messages of each committed batch */
    void listen(Consumer<List<OutboxMessage>> listener) {
        dispatcher.addListener(new DispatchListener() {
            @Override
            public void published(DestinationId destination, List<OutboxMessage> messages, Instant at, Duration took) {
                listener.accept(messages);
            }
        });
    }

    /** Wakes each worker for all partitions, as a commit of many messages does. */
    void wake() {
        wake(inAllPartitions);
    }

    /** Wakes the workers of these messages, as their commit does. */
    void wake(List<NewMessage> messages) {
        dispatcher.wake(messages);
    }

    /** Waits until so many messages were delivered. */
    void awaitAll(long messages, Deliveries deliveries) throws InterruptedException {
        // A wake-up may have come when a run was about to end.
        while (!deliveries.await(messages, WAKE_UP_MILLIS)) {
            wake();
        }
    }

    /** Looks for the other nodes, as the timer of a server does each minute. */
    void checkNodes() {
        dispatcher.checkNodes();
    }

    private Throwable refreshStatus() {
        dispatcher.checkTables();
        dispatcher.writeHeartbeat();
        int before = backlogs.get();
        dispatcher.refreshBacklog();
        if (backlogs.get() == before) {
            deliveries.refreshFailed();
        }
        return null;
    }

    private void repeat(Duration period, Callable<Throwable> work) {
        threads.scheduleAtFixedRate(reporting(work), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** @param work returns its failure, or null */
    private Runnable reporting(Callable<Throwable> work) {
        return () -> {
            Throwable failure;
            try {
                failure = work.call();
            } catch (Throwable e) {
                failure = e;
            }
            if (failure != null) {
                deliveries.failed(failure);
            }
        };
    }

    @Override
    public void close() {
        stopping = true;
        threads.shutdown();
        // The next block empties the tables, so no batch may be in flight then.
        await().atMost(Duration.ofMinutes(1)).until(threads::isTerminated);
        dispatcher.deleteNodeRow();
    }

    private static final class NoTransport implements OutboxPublisher, OutboxPublisher.Sender {
        @Override
        public boolean joinsTransactions() {
            // No message can be delivered twice.
            return true;
        }

        @Override
        public Sender open(DestinationId destination) {
            return this;
        }

        @Override
        public void send(OutboxMessage message) {
            // The row measures everything else.
        }

        @Override
        public Map<OutboxMessage, PublishException> complete() {
            return Map.of();
        }

        @Override
        public void probe(DestinationId destination) {
            // Nothing can be unreachable.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Delivers what is due to a destination: claim, publish, settle, until nothing is left. Plain Java; the container's
 * transactions and threads come from outside. Thread-safe; one thread at a time is in a lane.
 */
public final class Dispatcher {
    private static final Logger LOG = Logger.getLogger(Dispatcher.class.getName());
    private static final Duration REPORT_PERIOD = Duration.ofMinutes(1);

    private final OutboxStore store;
    private final OutboxPublisher publisher;
    private final Transactions transactions;
    private final NodeIdentity node;
    private final Listeners listeners = new Listeners();
    private final Delivery delivery;

    public Dispatcher(OutboxStore store, OutboxPublisher publisher, Transactions transactions, NodeIdentity node) {
        this.store = store;
        this.publisher = publisher;
        this.transactions = transactions;
        this.node = node;
        this.delivery = new Delivery(store, new Sending(publisher), transactions, listeners);
    }

    public void addListener(DispatchListener listener) {
        listeners.add(listener);
    }

    /** To be called whenever the timer calls. */
    public void tick() {
        listeners.tell(DispatchListener::ticked);
    }

    /** Reads the backlog for those who look on. */
    public void watch() {
        var backlog = store.backlog();
        listeners.tell(l -> l.backlog(backlog));
    }

    /**
     * The timer's call: runs the lane unless it ran a moment ago or somebody is in it.
     *
     * @return null if all went well; else what failed, which is logged and leaves the messages where they were
     */
    public Exception poll(Lane lane, OutboxConfig config, BooleanSupplier stopping) {
        long half = config.dispatcher().interval().toNanos() / 2;
        return lane.isFresh(System.nanoTime(), half) && !lane.isRung() ? null : run(lane, config, stopping);
    }

    /** Runs the lane, and again for as long as somebody rang meanwhile. */
    public Exception run(Lane lane, OutboxConfig config, BooleanSupplier stopping) {
        Exception failure = null;
        do {
            if (!lane.enter()) {
                return failure;
            }
            try {
                lane.heard();
                failure = drain(lane, config, stopping);
            } finally {
                lane.leave();
            }
        } while (failure == null && lane.isRung() && !stopping.getAsBoolean());
        return failure;
    }

    private Exception drain(Lane lane, OutboxConfig config, BooleanSupplier stopping) {
        if (!config.dispatcher().enabled()) {
            return null;
        }
        try {
            if (!isGuaranteed(lane, config.dispatcher().delivery())) {
                return null;
            }
            RetryPolicy policy = new RetryPolicy(
                    config.retry(), () -> ThreadLocalRandom.current().nextDouble());
            ClaimLimits limits = limits(config.dispatcher());
            int idle = 0;
            while (idle < config.store().partitions() && !stopping.getAsBoolean()) {
                Turn turn = deliverBatch(lane, config.dispatcher().delivery(), limits, policy);
                if (turn == Turn.NOTHING) {
                    break;
                }
                // Partitions in which everything waits tell nothing of the others: go once around.
                idle = turn == Turn.DELIVERED ? 0 : idle + limits.partitions();
            }
            succeeded(lane);
            return null;
        } catch (Exception e) {
            failed(lane, e);
            return e;
        }
    }

    private Turn deliverBatch(Lane lane, Guarantee guarantee, ClaimLimits limits, RetryPolicy policy) throws Exception {
        long start = System.nanoTime();
        try (Claim claim = store.claim(lane.destination(), lane.lastQueue(), limits)) {
            listeners.tell(l -> l.claimed(lane.destination(), Duration.ofNanos(System.nanoTime() - start)));
            if (claim.queues().isEmpty()) {
                return Turn.NOTHING;
            }
            lane.served(claim.queues().get(claim.queues().size() - 1));
            List<OutboxMessage> batch = free(claim);
            if (batch.isEmpty() && claim.undecodable().isEmpty()) {
                return Turn.ALL_WAIT;
            }
            try {
                delivery.deliver(guarantee, lane.destination(), batch, claim.undecodable(), policy);
            } catch (Exception e) {
                listeners.tell(l -> l.failed(lane.destination(), batch.size(), e));
                throw new DeliveryException(batch.size(), e);
            }
            return Turn.DELIVERED;
        }
    }

    private List<OutboxMessage> free(Claim claim) throws Exception {
        List<Long> sequences =
                claim.messages().stream().map(OutboxMessage::sequence).toList();
        return claim.free(transactions.outside(() -> store.lockable(sequences)));
    }

    /** Exactly-once is probed, not assumed: broker and database commit together once before anything is sent. */
    private boolean isGuaranteed(Lane lane, Guarantee guarantee) {
        if (guarantee == Guarantee.AT_LEAST_ONCE || lane.isProven()) {
            return true;
        }
        try {
            transactions.inNew(() -> {
                publisher.probe(lane.destination());
                store.touch(node);
                return null;
            });
        } catch (Exception e) {
            String reason = Problem.reason(e);
            if (lane.refused(reason)) {
                LOG.log(Level.SEVERE, Problem.EXACTLY_ONCE_REFUSED.text(lane.destination(), reason));
            }
            return false;
        }
        if (lane.proven()) {
            LOG.info(Problem.EXACTLY_ONCE_PROVEN.text(lane.destination()));
        }
        return true;
    }

    private static void succeeded(Lane lane) {
        int before = lane.succeeded(System.nanoTime());
        if (before > 0) {
            LOG.info(Problem.DELIVERY_RESUMED.text(lane.destination(), before));
        }
    }

    /** One line when it begins, one a minute while it lasts. */
    private static void failed(Lane lane, Exception e) {
        long now = System.nanoTime();
        lane.failed(now);
        if (lane.failures() == 1) {
            int messages = e instanceof DeliveryException batch ? batch.messages() : 0;
            LOG.log(
                    Level.WARNING,
                    e,
                    () -> Problem.DELIVERY_FAILED.text(lane.destination(), messages, Problem.reason(e)));
        } else if (lane.reportDue(now, REPORT_PERIOD.toNanos())) {
            Duration since =
                    Duration.ofSeconds(Duration.ofNanos(lane.failingFor(now)).toSeconds());
            LOG.warning(Problem.STILL_FAILING.text(lane.destination(), lane.failures(), since, Problem.reason(e)));
        }
    }

    private static ClaimLimits limits(DispatcherConfig config) {
        return new ClaimLimits(config.maxPartitions(), config.batchSize(), config.batchMaxBytes());
    }

    private enum Turn {
        /** No partition that is free has anything. */
        NOTHING,
        /** There is something, but all of it waits. */
        ALL_WAIT,
        DELIVERED
    }
}

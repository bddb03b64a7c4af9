package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/**
 * Delivers what is due to a destination: claim, publish, settle, until nothing is left. Plain Java; the container's
 * transactions and threads come from outside. Thread-safe; one thread at a time is in a lane.
 */
public final class Dispatcher {
    private static final Logger LOG = Logger.getLogger(Dispatcher.class.getName());
    private static final Duration REPORT_PERIOD = Duration.ofMinutes(1);
    private static final Duration PROMOTION_PERIOD = Duration.ofSeconds(1);

    private final OutboxStore store;
    private final OutboxPublisher publisher;
    private final Transactions transactions;
    private final NodeIdentity node;
    private final Listeners listeners = new Listeners();
    private final AtomicInteger partitionsHeld = new AtomicInteger();
    private final Delivery delivery;
    private final Declaration declaration;
    private final Sweep sweep;
    private final LeaseKeeper leases;
    private final Shadowing shadowing;

    public Dispatcher(OutboxStore store, OutboxPublisher publisher, Transactions transactions, NodeIdentity node) {
        this.store = store;
        this.publisher = publisher;
        this.transactions = transactions;
        this.node = node;
        this.declaration = new Declaration(store, publisher, transactions, listeners);
        this.sweep = new Sweep(store, transactions);
        this.leases = new LeaseKeeper(store);
        this.shadowing = new Shadowing(store);
        this.delivery =
                new Delivery(store, new Sending(new Discarding(publisher), System::nanoTime), transactions, listeners);
    }

    public void addListener(DispatchListener listener) {
        listeners.add(listener);
    }

    /** Writes this node's row; at first so that lanes which are probed at one moment need not race to insert it. */
    public void register() {
        try {
            transactions.inNew(() -> {
                store.touch(node, partitionsHeld.get());
                return null;
            });
        } catch (Exception e) {
            // The next look writes it, and the lanes report the database if it is still away then.
            LOG.log(Level.FINE, e, () -> "this node's row could not be written: " + Problem.reason(e));
        }
    }

    /** To be called whenever the timer calls. */
    public void tick() {
        listeners.tell(DispatchListener::ticked);
    }

    /** Renews the leases of what is being sent, if there are any. To be called often, by a thread that sends nothing. */
    public void renewLeases() {
        leases.renew(System.nanoTime());
    }

    /** Looks at the tables and reads the backlog, for those who look on. */
    public void watch() {
        try {
            String problem = store.problem();
            listeners.tell(l -> l.storeSeen(problem));
            register();
            var backlog = store.backlog();
            listeners.tell(l -> l.backlog(backlog));
        } catch (RuntimeException e) {
            listeners.tell(l -> l.storeSeen(Problem.reason(e)));
            throw e;
        }
    }

    /**
     * Removes what was kept long enough, a bounded number of messages. Thread-safe; fails with a line in the log only.
     *
     * @return whether there is more to be removed at once
     */
    public boolean sweep(Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        return sweep.run(config, stopping);
    }

    /**
     * The timer's call: runs the lane unless it ran a moment ago or somebody is in it.
     *
     * @return null if all went well; else what failed, which is logged and leaves the messages where they were
     */
    public Throwable poll(Lane lane, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        long half = config.get().dispatcher().interval().toNanos() / 2;
        return lane.isFresh(System.nanoTime(), half) && !lane.isRung() ? null : run(lane, config, stopping);
    }

    /** Runs the lane, and again for as long as somebody rang meanwhile. */
    public Throwable run(Lane lane, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        Throwable failure = null;
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

    private Throwable drain(Lane lane, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        try {
            int idle = 0;
            while (!stopping.getAsBoolean()) {
                // Each batch works on one snapshot, and the next one sees what was changed meanwhile.
                OutboxConfig now = config.get();
                shadowing.follow(lane, now.dispatcher());
                if (!now.dispatcher().enabled()) {
                    return null;
                }
                prove(lane, now);
                declaration.make(lane, now);
                promote(lane);
                Turn turn = deliverBatch(lane, now);
                // Partitions in which everything waits tell nothing of the others: go once around.
                idle = turn == Turn.ALL_WAIT ? idle + now.dispatcher().maxPartitions() : 0;
                if (turn == Turn.NOTHING || idle >= now.store().partitions()) {
                    break;
                }
            }
            succeeded(lane);
            return null;
        } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError e) {
            // An error too: one that reached the container twice in a row would suspend the lane's timer for minutes.
            if (stopping.getAsBoolean()) {
                // The application is being taken apart: what is missing now is no failure of the delivery.
                LOG.log(Level.FINE, "a run ended with its application", e);
                return null;
            }
            failed(lane, e);
            return e;
        }
    }

    /** In a transaction of its own, so that a delayed message is one like any other by the time of the claim. */
    private void promote(Lane lane) throws Exception {
        if (lane.promotionDue(System.nanoTime(), PROMOTION_PERIOD.toNanos())) {
            lane.promoted(System.nanoTime(), transactions.outside(() -> store.promote(lane.destination())));
        }
    }

    private Turn deliverBatch(Lane lane, OutboxConfig config) throws Exception {
        long start = System.nanoTime();
        try (Claim claim = store.claim(lane.destination(), lane.lastQueue(), ClaimLimits.of(config.dispatcher()))) {
            int partitions = claim.queues().size();
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            partitionsHeld.addAndGet(partitions);
            listeners.tell(l -> l.claimed(lane.destination(), partitions, took));
            try {
                return deliver(lane, config, claim);
            } finally {
                partitionsHeld.addAndGet(-partitions);
                listeners.tell(l -> l.released(lane.destination(), partitions));
            }
        }
    }

    private Turn deliver(Lane lane, OutboxConfig config, Claim claim) throws Exception {
        if (claim.queues().isEmpty()) {
            return Turn.NOTHING;
        }
        lane.served(claim.queues().get(claim.queues().size() - 1));
        leases.keep(claim.lease(), System.nanoTime());
        try {
            withholdInDoubt(claim);
            if (claim.isEmpty()) {
                return claim.tended() ? Turn.TENDED : Turn.ALL_WAIT;
            }
            publish(lane, config, claim);
        } finally {
            leases.release(claim.lease());
        }
        return Turn.DELIVERED;
    }

    private void withholdInDoubt(Claim claim) throws Exception {
        boolean others = true;
        while (others) {
            others = claim.withhold(transactions.outside(() -> store.lockable(claim.sequences(), claim.lease())));
        }
    }

    private void publish(Lane lane, OutboxConfig config, Claim claim) throws DeliveryException {
        List<OutboxMessage> batch = claim.messages();
        Aftermath aftermath = new Aftermath(
                new RetryPolicy(
                        config.retry(), () -> ThreadLocalRandom.current().nextDouble()),
                config.retention(),
                config.dispatcher().shadowDestination(),
                claim.clock(),
                claim.lease());
        try {
            delivery.deliver(config.dispatcher().delivery(), lane.destination(), batch, claim.undecodable(), aftermath);
        } catch (Exception e) {
            listeners.tell(l -> l.failed(lane.destination(), batch.size(), e));
            throw new DeliveryException(batch.size(), e);
        }
    }

    /** Exactly-once is probed, not assumed: broker and database commit together once before anything is sent. */
    private void prove(Lane lane, OutboxConfig config) throws DeliveryException {
        String shadow = config.dispatcher().shadowDestination();
        String aim = shadow == null ? lane.destination() : shadow;
        Object target = config.destinations().get(aim);
        if (config.dispatcher().delivery() == Guarantee.AT_LEAST_ONCE
                || Discarding.isNowhere(aim)
                || lane.isProvenFor(target)) {
            return;
        }
        try {
            transactions.inNew(() -> {
                publisher.probe(aim);
                store.touch(node);
                return null;
            });
        } catch (Exception e) {
            listeners.tell(l -> l.failed(lane.destination(), 0, e));
            lane.refused(isOutage(e) ? null : Problem.reason(e));
            declaration.refuse(lane, Problem.reason(e));
            throw new DeliveryException(0, e);
        }
        lane.provenFor(target);
        LOG.info(Problem.EXACTLY_ONCE_PROVEN.text(shadow == null ? lane.label() : aim));
    }

    /** Whether broker or database could not even be reached, which says nothing about what they can do together. */
    private static boolean isOutage(Throwable failure) {
        return failure instanceof PublishException
                || failure instanceof OutboxException
                || (failure.getCause() != null && failure.getCause() != failure && isOutage(failure.getCause()));
    }

    private static void succeeded(Lane lane) {
        int before = lane.succeeded(System.nanoTime());
        if (before > 0) {
            LOG.info(Problem.DELIVERY_RESUMED.text(lane.label(), before));
        }
    }

    /** One line when it begins or turns out to be of another kind, one a minute while it lasts. */
    private static void failed(Lane lane, Throwable e) {
        long now = System.nanoTime();
        lane.failed(now);
        String reason = Problem.reason(e);
        if (lane.isNews()) {
            LOG.severe(Problem.EXACTLY_ONCE_REFUSED.text(lane.label(), lane.refusal()));
        } else if (lane.failures() == 1) {
            int messages = e instanceof DeliveryException batch ? batch.messages() : 0;
            Problem problem =
                    e.getCause() instanceof UnclearCommitException ? Problem.COMMIT_UNKNOWN : Problem.DELIVERY_FAILED;
            LOG.log(Level.WARNING, e, () -> problem.text(lane.label(), messages, reason));
        } else if (lane.reportDue(now, REPORT_PERIOD.toNanos())) {
            Duration since =
                    Duration.ofSeconds(Duration.ofNanos(lane.failingFor(now)).toSeconds());
            LOG.warning(Problem.STILL_FAILING.text(lane.label(), lane.failures(), since, reason));
        }
    }

    private enum Turn {
        /** No partition that is free has anything. */
        NOTHING,
        /** There is something, but all of it waits. */
        ALL_WAIT,
        /** All of it waits, but that took some work, and what is behind it was not seen yet. */
        TENDED,
        DELIVERED
    }
}

package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Delivers what is due to a destination: claim, publish, settle, until nothing is left. Plain Java; the container's
 * transactions and threads come from outside. Thread-safe.
 */
public final class Dispatcher {
    private static final Logger LOG = Logger.getLogger(Dispatcher.class.getName());
    private static final Duration LONGEST_SHIFT = Duration.ofSeconds(1);

    private final OutboxStore store;
    private final OutboxPublisher publisher;
    private final Transactions transactions;
    private final Presence presence;
    private final Listeners listeners = new Listeners();
    private final AtomicInteger partitionsHeld = new AtomicInteger();
    private final PatientDelivery delivery;
    private final Caution caution;
    private final Declaration declaration;
    private final Sweep sweep;
    private final Watch watch;
    private final LeaseKeeper leases;
    private final Probe probe;
    private final Crew crew = new Crew();
    private final Shadowing shadowing;
    private final Promoting promoting;

    public Dispatcher(OutboxStore store, OutboxPublisher publisher, Transactions transactions, NodeIdentity node) {
        this(store, publisher, transactions, node, Age.OF_THE_JVM);
    }

    Dispatcher(OutboxStore store, OutboxPublisher publisher, Transactions transactions, NodeIdentity node, Age age) {
        this.store = store;
        this.publisher = publisher;
        this.transactions = transactions;
        this.caution = new Caution(store, transactions, node, age);
        this.presence = new Presence(store, transactions, node, partitionsHeld::get, caution);
        this.declaration = new Declaration(store, publisher, transactions, listeners);
        this.probe = new Probe(store, publisher, transactions, node, listeners, declaration);
        this.sweep = new Sweep(store, transactions);
        this.watch = new Watch(store, transactions, presence, listeners);
        this.leases = new LeaseKeeper(store, transactions);
        this.shadowing = new Shadowing(store, transactions);
        this.promoting = new Promoting(store, transactions);
        Sending sending = new Sending(new Discarding(publisher), System::nanoTime, caution::isStopped);
        this.delivery = new PatientDelivery(new Delivery(store, sending, transactions, listeners), caution);
    }

    public void addListener(DispatchListener listener) {
        listeners.add(listener);
    }

    /**
     * With outbox.dispatcher.concurrency above 1: how to call {@link #help} for the lane with a label, on another thread and
     * without waiting for it. It is asked for when a second batch is there, and never during an outage.
     */
    public void helpWith(Consumer<String> call) {
        crew.helpWith(call);
    }

    /**
     * How to call {@link #run} for the lane with a label, on another thread and without waiting for it. It is asked for when a run
     * has lasted for a while, and then returns; without it a run lasts until nothing is due.
     */
    public void relieveWith(Consumer<String> call) {
        relieveWith(call, LONGEST_SHIFT);
    }

    void relieveWith(Consumer<String> call, Duration after) {
        crew.relieveWith(call, after);
    }

    /** Writes this node's row; at first so that lanes which are probed at one moment need not race to insert it. */
    public void register() {
        presence.tell();
    }

    /** The application stops in order; nothing may be begun after it. */
    public void leave() {
        listeners.dismiss();
        presence.end();
    }

    /** To be called whenever the timer calls. */
    public void tick() {
        listeners.tell(DispatchListener::ticked);
    }

    /** Renews the leases of what is being sent, if there are any. To be called often, by a thread that sends nothing. */
    public void renewLeases() {
        leases.renew(System.nanoTime());
    }

    /** Looks at the tables into which events are stored, for those who look on. */
    public void look() {
        watch.look();
    }

    /** Reads the backlog, for those who look on; apart from the look, since neither may wait for the other's database. */
    public void watch() {
        watch.read();
    }

    /** Removes what was kept long enough; fails with a line in the log only. Tells whether there is more to be removed. */
    public boolean sweep(Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        return sweep.run(config, stopping);
    }

    /**
     * The timer's call: runs the lane unless it ran a moment ago or somebody is in it.
     *
     * @return null if all went well; else what failed, which is logged and leaves the messages where they were
     */
    public Throwable poll(Lane lane, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        long interval = config.get().dispatcher().interval().toNanos();
        lane.called(System.nanoTime());
        return lane.isFresh(System.nanoTime(), interval / 2) && !lane.isRung() ? null : run(lane, config, stopping);
    }

    /** To be called often, by a thread that sends nothing: a lane is not left to a timer whose own thread hangs in it. */
    public void relieve(Lane lane, Duration interval) {
        crew.watch(lane, interval.toNanos());
    }

    /** Runs the lane, and again for as long as somebody rang meanwhile. */
    public Throwable run(Lane lane, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        return run(lane, config, stopping, crew.begin());
    }

    private Throwable run(Lane lane, Supplier<OutboxConfig> config, BooleanSupplier stopping, Crew.Shift shift) {
        Throwable failure = null;
        boolean again = true;
        while (failure == null && again) {
            Run run = lane.enter(LastConfig.read(config, DispatcherConfig::concurrency, 1));
            failure = run == null ? null : inside(lane, run, config, stopping, shift);
            again = run != null && failure == null && goesOn(lane, stopping, shift);
        }
        return failure;
    }

    private static boolean goesOn(Lane lane, BooleanSupplier stopping, Crew.Shift shift) {
        return lane.isRung() && !stopping.getAsBoolean() && !shift.isHandedOver(lane);
    }

    /** Takes part in a run that is under way, if it still is: see {@link #helpWith}. */
    public void help(Lane lane, Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        Run run = lane.join(LastConfig.read(config, DispatcherConfig::concurrency, 1));
        Crew.Shift shift = crew.begin();
        if (run != null && inside(lane, run, config, stopping, shift) == null && goesOn(lane, stopping, shift)) {
            run(lane, config, stopping, shift);
        }
    }

    private Throwable inside(
            Lane lane, Run run, Supplier<OutboxConfig> config, BooleanSupplier stopping, Crew.Shift shift) {
        // Before anything can fail: whatever does, and where, whoever is in must come out again, or the lane is closed
        // for good.
        Consumer<Throwable> report =
                why -> RunReport.of(lane, why, LastConfig.read(config, DispatcherConfig::enabled, false));
        Throwable failure;
        try {
            lane.heard();
            listeners.tell(l -> l.began(lane.destination()));
            failure = drain(lane, run, config, stopping, shift);
        } catch (Throwable e) {
            failure = e;
        }
        try {
            lane.leave(run, failure, System.nanoTime(), report);
            listeners.tell(l -> l.ended(lane.destination(), lane.failures()));
        } catch (Throwable e) {
            failure = failure == null ? e : failure;
        }
        return failure;
    }

    private Throwable drain(
            Lane lane, Run run, Supplier<OutboxConfig> config, BooleanSupplier stopping, Crew.Shift shift) {
        try {
            int idle = 0;
            while (!stopping.getAsBoolean() && run.failure() == null) {
                // Each batch works on one snapshot, and the next one sees what was changed meanwhile.
                OutboxConfig now = config.get();
                if (!shadowing.follow(lane, now.dispatcher())
                        || !now.dispatcher().enabled()) {
                    return null;
                }
                caution.look(lane);
                probe.prove(lane, now);
                declaration.make(lane, now);
                promoting.promote(lane);
                Turn turn = deliverBatch(lane, now);
                // Partitions in which everything waits tell nothing of the others: go once around.
                idle = turn == Turn.ALL_WAIT ? idle + ClaimLimits.of(now).partitions() : 0;
                if (turn == Turn.NOTHING || idle >= now.store().partitions()) {
                    probe.reach(lane, now);
                    break;
                }
                if (turn != Turn.ALL_WAIT && shift.isOver()) {
                    lane.leavesMore();
                    return null;
                }
            }
            return stopping.getAsBoolean() ? null : lane.promotionFailure();
        } catch (Throwable e) {
            // An error too: one that reached the container twice in a row would suspend the lane's timer for minutes.
            if (stopping.getAsBoolean()) {
                // The application is being taken apart: what is missing now is no failure of the delivery.
                LOG.log(Level.FINE, "a run ended with its application", e);
                return null;
            }
            return e;
        }
    }

    private Turn deliverBatch(Lane lane, OutboxConfig config) throws Exception {
        long start = System.nanoTime();
        try (Claim claim = store.claim(lane.destination(), lane.lastQueue(), ClaimLimits.of(config))) {
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
            caution.calm(lane);
            return Turn.NOTHING;
        }
        int before = lane.lastQueue();
        leases.keep(claim.lease(), System.nanoTime());
        try {
            withholdInDoubt(claim);
            lane.served(claim.lastTurn(before));
            if (claim.isEmpty()) {
                return claim.tended() ? Turn.TENDED : Turn.ALL_WAIT;
            }
            // Before a batch is sent and not after it, so that the next ones are sent meanwhile.
            crew.help(lane);
            OutboxMessage next = publish(lane, config, claim);
            if (next != null) {
                lane.served(claim.lastTurnBefore(next, before));
            }
        } finally {
            leases.release(claim.lease());
        }
        lane.delivered();
        return Turn.DELIVERED;
    }

    private void withholdInDoubt(Claim claim) throws Exception {
        boolean others = true;
        while (others) {
            others = claim.withhold(transactions.outside(() -> store.lockable(claim.sequences(), claim.lease())));
        }
    }

    /** @return the first message that had to wait for another batch, or null */
    private OutboxMessage publish(Lane lane, OutboxConfig config, Claim claim) throws DeliveryException {
        List<OutboxMessage> batch = claim.messages();
        try {
            return delivery.deliver(lane, config, batch, claim.undecodable(), Aftermath.of(claim, config));
        } catch (Exception e) {
            // Not in the same order once more: it could be for the first of them that none got through.
            lane.served(claim.queues().get(0));
            listeners.tell(l -> l.failed(lane.destination(), batch.size(), e));
            throw new DeliveryException(batch.size(), e);
        }
    }
}

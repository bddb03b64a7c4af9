package dev.cdioutbox.internal.dispatch;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * What this process has to mind because others before it died. Nothing durable is known of a batch in flight; so it is only
 * after a death that messages are sent alone, and noted before. Thread-safe.
 */
final class Caution {
    private static final Logger LOG = Logger.getLogger(Caution.class.getName());
    private static final ReentrantLock ALONE = new ReentrantLock();

    private final OutboxStore store;
    private final Transactions transactions;
    private final NodeIdentity node;
    private final Map<Lane, Suspects> suspects = new ConcurrentHashMap<>();
    private final Set<Lane> minding = ConcurrentHashMap.newKeySet();
    private final Set<Lane> calm = ConcurrentHashMap.newKeySet();
    private final Map<Long, OutboxNode> killers = new ConcurrentHashMap<>();
    private volatile Deaths deaths;
    private volatile boolean looked;
    private volatile boolean noted;

    Caution(OutboxStore store, Transactions transactions, NodeIdentity node) {
        this.store = store;
        this.transactions = transactions;
        this.node = node;
    }

    /** To be called before a lane claims anything; looks once, and fails if the database is away. */
    void look(Lane lane) throws Exception {
        if (!looked) {
            lookOnce();
        }
        if (deaths.upTo() != null && !calm.contains(lane)) {
            minding.add(lane);
        }
    }

    /** A lane has found nothing that is left of the dead. */
    void calm(Lane lane) throws Exception {
        if (minding.remove(lane)) {
            calm.add(lane);
        }
        review();
    }

    /** Whether nothing has to be remembered of the deaths before this process: else a stop in order would forget them. */
    boolean isOver() {
        return minding.isEmpty();
    }

    private synchronized void lookOnce() throws Exception {
        if (looked) {
            return;
        }
        deaths = transactions.outside(() -> {
            Deaths found = Deaths.among(
                    store.nodeRegister().traces(),
                    node,
                    pid -> ProcessHandle.of(pid).isPresent(),
                    Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime()));
            found.replaced().forEach(store.nodeRegister()::forget);
            return found;
        });
        killers.putAll(deaths.killers());
        looked = true;
        review();
    }

    /** A message that waits no more, since another process could send it, is held against nobody: not if it is replayed either. */
    private void review() throws Exception {
        if (!killers.isEmpty()) {
            Set<Long> waiting = transactions.outside(() -> store.waiting(killers.keySet()));
            for (Long sequence : List.copyOf(killers.keySet())) {
                if (!waiting.contains(sequence)) {
                    acquit(sequence);
                }
            }
        }
    }

    /** With which process a message was in flight alone when that died; null if with none. */
    OutboxNode killedBy(OutboxMessage message) {
        return killers.get(message.sequence());
    }

    /** It is set aside; should an operator bring it back, it begins anew. */
    void judged(OutboxMessage message) throws Exception {
        acquit(message.sequence());
    }

    private void acquit(Long sequence) throws Exception {
        OutboxNode dead = killers.get(sequence);
        if (dead != null) {
            outside(() -> store.nodeRegister().forget(dead.id()));
            killers.remove(sequence);
        }
    }

    /** What of this lane's messages is to be sent alone; null if nobody died. */
    Suspects of(Lane lane, OutboxConfig config) {
        return deaths.upTo() == null ? null : suspects.computeIfAbsent(lane, l -> begin(config));
    }

    private Suspects begin(OutboxConfig config) {
        ClaimLimits limits = ClaimLimits.of(config);
        int claims = (config.store().partitions() + limits.partitions() - 1) / limits.partitions();
        return new Suspects(deaths.upTo(), claims * limits.messages());
    }

    /**
     * Begins to send messages alone: one at a time in this process, whatever lane it is of, or an innocent one would be noted
     * beside a killer.
     *
     * @return false if another lane is at it for too long
     */
    boolean enter(Duration patience) throws InterruptedException {
        return ALONE.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Lets those that come after this process know what it sends alone, should it die. */
    void sending(OutboxMessage message) throws Exception {
        noted = true;
        outside(() -> store.nodeRegister().sending(node, message.sequence()));
    }

    /** Nothing is sent alone any more. */
    void leave() {
        try {
            erase();
        } finally {
            ALONE.unlock();
        }
    }

    /** If it could not be erased what was noted. */
    void tidy() {
        if (noted && ALONE.tryLock()) {
            leave();
        }
    }

    private void erase() {
        if (noted) {
            try {
                outside(() -> store.nodeRegister().sending(node, null));
                noted = false;
            } catch (Exception e) {
                LOG.log(Level.FINE, e, () -> "what was sent alone is still noted: " + Problem.reason(e));
            }
        }
    }

    private void outside(Runnable what) throws Exception {
        transactions.outside(() -> {
            what.run();
            return null;
        });
    }
}

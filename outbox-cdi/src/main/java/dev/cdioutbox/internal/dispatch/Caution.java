package dev.cdioutbox.internal.dispatch;

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

    /** What hangs in the database holds up no end of the application. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final OutboxStore store;
    private final Transactions transactions;
    private final NodeIdentity node;
    private final Age age;
    private final Map<Lane, Suspects> suspects = new ConcurrentHashMap<>();
    private final Set<Lane> minding = ConcurrentHashMap.newKeySet();
    private final Set<Lane> calm = ConcurrentHashMap.newKeySet();
    private final Map<Long, OutboxNode> killers = new ConcurrentHashMap<>();
    private final ReentrantLock noting = new ReentrantLock();
    private volatile Deaths deaths;
    private volatile boolean looked;
    private volatile boolean noted;
    private volatile boolean stopped;

    Caution(OutboxStore store, Transactions transactions, NodeIdentity node, Age age) {
        this.store = store;
        this.transactions = transactions;
        this.node = node;
        this.age = age;
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

    /**
     * This process stops in order, which is no death: from here on nothing is noted, and what is noted goes, also if it is still
     * being sent.
     */
    void stop() {
        stopped = true;
        erase();
    }

    boolean isStopped() {
        return stopped;
    }

    private synchronized void lookOnce() throws Exception {
        if (looked) {
            return;
        }
        deaths = died();
        deaths.replaced().forEach(this::forget);
        killers.putAll(deaths.killers());
        looked = true;
        review();
    }

    private Deaths died() throws Exception {
        // Before the rows are read: a predecessor is silent for longer than this in any case.
        Duration running = age.now();
        return Deaths.among(
                transactions.outside(store.nodeRegister()::traces),
                node,
                pid -> ProcessHandle.of(pid).isPresent(),
                running);
    }

    /** A branch in doubt may hold the row for long: then it stays, and no lane waits for that again. */
    private void forget(String dead) {
        try {
            outside(() -> store.nodeRegister().forget(dead));
        } catch (Exception e) {
            LOG.log(Level.FINE, e, () -> "a dead process's row is still there: " + Problem.reason(e));
        }
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

    /**
     * With which process a message was in flight alone when that died; null if with none, or if another process has judged it
     * since this one looked.
     */
    OutboxNode killedBy(OutboxMessage message) throws Exception {
        if (!killers.containsKey(message.sequence())) {
            return null;
        }
        OutboxNode dead = died().killers().get(message.sequence());
        if (dead == null) {
            killers.remove(message.sequence());
        }
        return dead;
    }

    /** It is set aside; should an operator bring it back, it begins anew. */
    void judged(OutboxMessage message) throws Exception {
        acquit(message.sequence());
    }

    /** Also by those that died since this process looked, or the next one would judge it again. */
    private void acquit(Long sequence) throws Exception {
        if (killers.containsKey(sequence)) {
            died().naming(sequence).forEach(this::forget);
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
        return Solo.enter(patience);
    }

    /**
     * To be asked by who could not enter: whether the send of the one that is at it hangs, and not just many take turns. Then no
     * message is noted any more, so that a death of what is sent beside it is not held against that one.
     */
    boolean isStuck(Duration patience) {
        return Solo.isStuck(patience);
    }

    /**
     * Lets those that come after this process know what it sends alone, should it die.
     *
     * @return false if this process stops: then it is not to be sent either
     */
    boolean sending(OutboxMessage message) throws Exception {
        Solo.begins(this::erase);
        noting.lock();
        try {
            if (stopped) {
                return false;
            }
            // Before it: also if it is not known whether it was written.
            noted = true;
            note(message.sequence());
            return true;
        } finally {
            noting.unlock();
        }
    }

    /** Nothing is sent alone any more. */
    void leave() {
        try {
            erase();
        } finally {
            Solo.leave();
        }
    }

    /** If it could not be erased what was noted. */
    void tidy() {
        if (noted && Solo.enterAtOnce()) {
            leave();
        }
    }

    /**
     * Not beside who is writing a note, or that would be there after it.
     *
     * @return whether none is there any more
     */
    private boolean erase() {
        boolean alone = false;
        try {
            alone = noting.tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (alone && noted) {
                note(null);
                noted = false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.log(Level.FINE, e, () -> "what was sent alone is still noted: " + Problem.reason(e));
        } finally {
            if (alone) {
                noting.unlock();
            }
        }
        return alone && !noted;
    }

    /** The container's transactions may be gone with the application. */
    private void note(Long sequence) throws Exception {
        if (stopped) {
            store.nodeRegister().sending(node, sequence);
        } else {
            outside(() -> store.nodeRegister().sending(node, sequence));
        }
    }

    private void outside(Runnable what) throws Exception {
        transactions.outside(() -> {
            what.run();
            return null;
        });
    }
}

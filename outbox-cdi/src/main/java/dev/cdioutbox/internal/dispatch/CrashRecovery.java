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
 * Recovery after the crash of another process. The messages of a batch in flight are not recorded; so only after a
 * crash, messages are sent singly, each recorded before it is sent. Thread-safe.
 */
final class CrashRecovery {
    private static final Logger LOG = Logger.getLogger(CrashRecovery.class.getName());

    /** What hangs in the database holds up no end of the application. */
    private static final Duration LOCK_WAIT = Duration.ofSeconds(5);

    private final OutboxStore store;
    private final Transactions transactions;
    private final NodeIdentity node;
    private final ProcessUptime age;
    private final Map<DestinationWorker, CrashSuspects> crashSuspects = new ConcurrentHashMap<>();
    private final Set<DestinationWorker> recoveringWorkers = ConcurrentHashMap.newKeySet();
    private final Set<DestinationWorker> workerHasCaughtUp = ConcurrentHashMap.newKeySet();
    private final Map<Long, OutboxNode> crashingMessages = new ConcurrentHashMap<>();
    private final ReentrantLock recordLock = new ReentrantLock();
    private volatile CrashedNodes crashedNodes;
    private volatile boolean loaded;
    private volatile boolean recorded;
    private volatile boolean stopped;

    CrashRecovery(OutboxStore store, Transactions transactions, NodeIdentity node, ProcessUptime age) {
        this.store = store;
        this.transactions = transactions;
        this.node = node;
        this.age = age;
    }

    /** To be called before a worker claims anything; looks once, and fails if the database is away. */
    void prepare(DestinationWorker worker) throws Exception {
        if (!loaded) {
            load();
        }
        if (crashedNodes.lastCrash() != null && !workerHasCaughtUp.contains(worker)) {
            recoveringWorkers.add(worker);
        }
    }

    /** A worker has found nothing that is left of the dead. */
    void workerHasCaughtUp(DestinationWorker worker) throws Exception {
        if (recoveringWorkers.remove(worker)) {
            workerHasCaughtUp.add(worker);
        }
        dropSettled();
    }

    /** Whether nothing has to be remembered of the deaths before this process: else a stop in order would forget them. */
    boolean isComplete() {
        return recoveringWorkers.isEmpty();
    }

    /**
     * This process stops in order, which is no death: from here on nothing is noted, and what is noted goes, also if it is still
     * being sent.
     */
    void stop() {
        stopped = true;
        eraseRecord();
    }

    boolean isStopped() {
        return stopped;
    }

    private synchronized void load() throws Exception {
        if (loaded) {
            return;
        }
        crashedNodes = readCrashedNodes();
        crashedNodes.replacedNodes().forEach(this::deleteNode);
        crashingMessages.putAll(crashedNodes.crashingMessages());
        loaded = true;
        dropSettled();
    }

    private CrashedNodes readCrashedNodes() throws Exception {
        // Before the rows are read: a predecessor is silent for longer than this in any case.
        Duration running = age.now();
        return CrashedNodes.among(
                transactions.outside(store.nodeRegistry()::nodeRows),
                node,
                pid -> ProcessHandle.of(pid).isPresent(),
                running);
    }

    /** A branch in doubt may hold the row for long: then it stays, and no worker waits for that again. */
    private void deleteNode(String dead) {
        try {
            outsideTransaction(() -> store.nodeRegistry().deleteNode(dead));
        } catch (Exception e) {
            LOG.log(Level.FINE, e, () -> "a dead process's row is still there: " + Problem.reason(e));
        }
    }

    /** A message that is settled meanwhile is no suspect any more, not even if it is replayed. */
    private void dropSettled() throws Exception {
        if (!crashingMessages.isEmpty()) {
            Set<Long> waiting = transactions.outside(() -> store.pending(crashingMessages.keySet()));
            for (Long sequence : List.copyOf(crashingMessages.keySet())) {
                if (!waiting.contains(sequence)) {
                    clear(sequence);
                }
            }
        }
    }

    /**
     * With which process a message was in flight alone when that died; null if with none, or if another process has judged it
     * since this one looked.
     */
    OutboxNode crashedNodeSending(OutboxMessage message) throws Exception {
        if (!crashingMessages.containsKey(message.sequence())) {
            return null;
        }
        OutboxNode dead = readCrashedNodes().crashingMessages().get(message.sequence());
        if (dead == null) {
            crashingMessages.remove(message.sequence());
        }
        return dead;
    }

    /** It is set aside; should an operator bring it back, it begins anew. */
    void messageAbandoned(OutboxMessage message) throws Exception {
        clear(message.sequence());
    }

    /** Also by those that died since this process looked, or the next one would judge it again. */
    private void clear(Long sequence) throws Exception {
        if (crashingMessages.containsKey(sequence)) {
            readCrashedNodes().nodesSending(sequence).forEach(this::deleteNode);
            crashingMessages.remove(sequence);
        }
    }

    /** The messages of this worker that are sent singly; null if no process crashed. */
    CrashSuspects of(DestinationWorker worker, OutboxConfig config) {
        return crashedNodes.lastCrash() == null ? null : crashSuspects.computeIfAbsent(worker, l -> suspectsOf(config));
    }

    private CrashSuspects suspectsOf(OutboxConfig config) {
        ClaimLimits limits = ClaimLimits.of(config);
        int claims = (config.store().partitions() + limits.partitions() - 1) / limits.partitions();
        return new CrashSuspects(crashedNodes.lastCrash(), claims * limits.messages());
    }

    /**
     * Begins to send messages alone: one at a time in this process, whatever worker it is of, or an innocent one would be noted
     * beside a crashing message.
     *
     * @return false if another worker is at it for too long
     */
    boolean lockSingleDelivery(Duration timeout) throws InterruptedException {
        return SingleDeliveryLock.lock(timeout);
    }

    /**
     * To be asked by who could not enter: whether the send of the one that is at it hangs, and not just many take turns. Then no
     * message is noted any more, so that a death of what is sent beside it is not held against that one.
     */
    boolean isStalled(Duration timeout) {
        return SingleDeliveryLock.isStalled(timeout);
    }

    /**
     * Lets those that come after this process know what it sends alone, should it die.
     *
     * @return false if this process stops: then it is not to be sent either
     */
    boolean recordSend(OutboxMessage message) throws Exception {
        SingleDeliveryLock.sendBegins(this::eraseRecord);
        recordLock.lock();
        try {
            if (stopped) {
                return false;
            }
            // Before it: also if it is not known whether it was written.
            recorded = true;
            writeRecord(message.sequence());
            return true;
        } finally {
            recordLock.unlock();
        }
    }

    /** Nothing is sent alone any more. */
    void unlockSingleDelivery() {
        try {
            eraseRecord();
        } finally {
            SingleDeliveryLock.unlock();
        }
    }

    /** If it could not be erased what was noted. */
    void eraseLeftoverRecord() {
        if (recorded && SingleDeliveryLock.tryLock()) {
            unlockSingleDelivery();
        }
    }

    /**
     * Not beside who is writing a note, or that would be there after it.
     *
     * @return whether none is there any more
     */
    private boolean eraseRecord() {
        boolean alone = false;
        try {
            alone = recordLock.tryLock(LOCK_WAIT.toSeconds(), TimeUnit.SECONDS);
            if (alone && recorded) {
                writeRecord(null);
                recorded = false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.log(Level.FINE, e, () -> "what was sent alone is still noted: " + Problem.reason(e));
        } finally {
            if (alone) {
                recordLock.unlock();
            }
        }
        return alone && !recorded;
    }

    /** The container's transactions may be gone with the application. */
    private void writeRecord(Long sequence) throws Exception {
        if (stopped) {
            store.nodeRegistry().recordSending(node, sequence);
        } else {
            outsideTransaction(() -> store.nodeRegistry().recordSending(node, sequence));
        }
    }

    private void outsideTransaction(Runnable what) throws Exception {
        transactions.outside(() -> {
            what.run();
            return null;
        });
    }
}

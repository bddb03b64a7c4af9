package dev.cdioutbox.internal.dispatch.crash;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.ThisNode;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Recovers after the crash of a process. An orderly stop deletes the process's row in the node table, so a remaining
 * row shows a crash. After a crash, each message that may have been in flight is counted on its row and then sent
 * singly. A message with too many counts has crashed that many processes, and is abandoned. Thread-safe.
 */
public final class CrashRecovery {
    private static final Logger LOG = Logger.getLogger(CrashRecovery.class.getName());

    /** In crashes while a message is sent singly; a lower max-attempts applies instead. */
    private static final int MAX_CRASHES = 3;

    /** A hanging destination never releases the lock, and must not stop the others. */
    private static final Duration LOCK_WAIT = Duration.ofSeconds(10);

    private final Environment environment;
    private final Supplier<Duration> uptime;
    private final Duration lockWait;
    private final Map<String, AtomicInteger> suspectsLeft = new ConcurrentHashMap<>();
    private volatile Instant lastCrash;
    private boolean loaded;

    /** Only one suspect at a time, since a crash would count against both. Fair, so that no worker starves. */
    private final ReentrantLock lock = new ReentrantLock(true);

    /** @param uptime the time since this process started */
    public CrashRecovery(Environment environment, Supplier<Duration> uptime) {
        this(environment, uptime, LOCK_WAIT);
    }

    CrashRecovery(Environment environment, Supplier<Duration> uptime, Duration lockWait) {
        this.environment = environment;
        this.uptime = uptime;
        this.lockWait = lockWait;
    }

    /**
     * Prepares a worker before its first claim. Reads the rows once, and fails if the database is unreachable.
     *
     * @return whether a process has crashed, so that this class must deliver the worker's batches
     */
    public boolean prepare(String destination, OutboxConfig config) throws Exception {
        load();
        if (lastCrash == null) {
            return false;
        }
        suspectsLeft.computeIfAbsent(destination, d -> new AtomicInteger(maxSuspects(d, config)));
        return true;
    }

    /** The most messages that a crashed worker's claims can have held while it visited each partition once. */
    private static int maxSuspects(String destination, OutboxConfig config) {
        Claim.Limits limits = Claim.Limits.of(config);
        int claims = (config.store().partitions() + limits.partitions() - 1) / limits.partitions();
        int most = claims * limits.messages();
        LOG.info(Problem.SINGLE_MESSAGE_DELIVERY.text(config.label(destination), most));
        return most;
    }

    private synchronized void load() throws Exception {
        if (loaded) {
            return;
        }
        // Measure before the query: then a predecessor is silent for longer than this in any case.
        Duration running = uptime.get();
        List<OutboxNode> nodes = environment.outside(environment.store()::nodes);
        ThisNode node = environment.node();
        List<OutboxNode> crashed =
                crashed(nodes, node, pid -> ProcessHandle.of(pid).isPresent(), running);
        lastCrash = lastCrash(crashed, nodes, node);
        crashed.stream().filter(dead -> isInPlaceOf(dead, node)).forEach(dead -> delete(dead.id()));
        loaded = true;
    }

    /** This process's own row stays until the recovery is complete, so a further crash is not forgotten. */
    private void delete(String crashed) {
        try {
            environment.outside(() -> environment.store().deleteNode(crashed));
        } catch (Exception e) {
            LOG.log(Level.FINE, e, () -> "the row of a crashed process is still there: " + Problem.reason(e));
        }
    }

    /**
     * Delivers the messages of a claim: in one batch, or the crash suspects one by one.
     *
     * @return the first message left for another batch; null if there is none
     */
    public OutboxMessage deliver(BatchDelivery delivery) throws Exception {
        List<OutboxMessage> rest = withoutCrashingMessages(delivery);
        List<OutboxMessage> suspects = suspects(delivery.destination(), rest);
        if (!suspects.isEmpty()) {
            return deliverSingly(rest, suspects, delivery);
        }
        // The worker asks its own delivery whether all is settled.
        boolean isWhole = rest.size() == delivery.batch().size();
        return (isWhole ? delivery : delivery.of(rest)).deliver();
    }

    /** Abandons the messages that crash their process. The later messages of their keys wait for the next claim. */
    private static List<OutboxMessage> withoutCrashingMessages(BatchDelivery delivery) throws Exception {
        int most = Math.min(MAX_CRASHES, delivery.config().retry().maxAttempts());
        List<OutboxMessage> rest = new ArrayList<>();
        List<BatchDelivery.Failure> crashing = new ArrayList<>();
        Set<String> blockedKeys = new HashSet<>();
        for (OutboxMessage message : delivery.batch()) {
            if (isCounted(message) && message.delivery().attempts() >= most) {
                String reason = Problem.CRASHED_ITS_PROCESS.text();
                crashing.add(new BatchDelivery.Failure(message, new PublishException(Blame.MESSAGE, reason, null)));
                blockedKeys.add(message.orderingKey());
            } else if (message.orderingKey() == null || !blockedKeys.contains(message.orderingKey())) {
                rest.add(message);
            }
        }
        delivery.charge(crashing, Map.of());
        return rest;
    }

    /** Whether the last single send of the message has not ended: its count is still on the row. */
    private static boolean isCounted(OutboxMessage message) {
        String error = message.delivery().lastError();
        return error != null && error.startsWith(Problem.CRASHED_ITS_PROCESS.code());
    }

    /** Whether a crashed process may have been sending this message. */
    private boolean isSuspect(String destination, OutboxMessage message) {
        return hasSuspects(destination) && !message.createdAt().isAfter(lastCrash);
    }

    /** The messages to send singly, in order: the suspects, each with all earlier messages of its key. */
    private List<OutboxMessage> suspects(String destination, List<OutboxMessage> batch) {
        Deque<OutboxMessage> suspects = new ArrayDeque<>();
        Set<String> keys = new HashSet<>();
        for (int i = batch.size() - 1; i >= 0; i--) {
            OutboxMessage message = batch.get(i);
            String key = message.orderingKey();
            if (isSuspect(destination, message) || key != null && keys.contains(key)) {
                suspects.addFirst(message);
                keys.add(key);
            }
        }
        return List.copyOf(suspects);
    }

    /** The other messages wait for the next claim. By then the keys of failed messages are blocked. */
    private OutboxMessage deliverSingly(List<OutboxMessage> batch, List<OutboxMessage> suspects, BatchDelivery delivery)
            throws Exception {
        boolean alone = lock.tryLock(lockWait.toNanos(), TimeUnit.NANOSECONDS);
        try {
            Set<String> blockedKeys = new HashSet<>();
            long start = environment.nanoTime();
            for (OutboxMessage message : suspects) {
                if (environment.isStopping() || environment.nanoTime() - start > Environment.TIME_SLICE.toNanos()) {
                    return message;
                }
                String key = message.orderingKey();
                if (!blockedKeys.contains(key) && !sendSingly(delivery.of(List.of(message)), message) && key != null) {
                    blockedKeys.add(key);
                }
            }
            return batch.stream().filter(m -> !suspects.contains(m)).findFirst().orElse(null);
        } finally {
            if (alone) {
                lock.unlock();
            }
        }
    }

    /** @return whether the message is settled */
    private boolean sendSingly(BatchDelivery delivery, OutboxMessage message) throws Exception {
        int before = message.delivery().attempts();
        if (!count(message, before + 1, Problem.CRASHED_ITS_PROCESS.text())) {
            return false;
        }
        try {
            // A charge sets the attempts to one more than the claim has read, so it does not count them again.
            delivery.deliver();
            suspectsLeft.get(delivery.destination()).decrementAndGet();
            return delivery.isSettled();
        } catch (Exception e) {
            undoCount(message, before, e);
            throw e;
        }
    }

    /** The process did not crash, and the message was not at fault. A crash would keep the count. */
    private void undoCount(OutboxMessage message, int before, Exception failure) {
        try {
            count(message, before, message.delivery().lastError());
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    /** @return whether the message still waits */
    private boolean count(OutboxMessage message, int attempts, String error) throws Exception {
        // The container's transactions may be gone with the environment.
        return environment.isStopping()
                ? environment.store().countAttempt(message.sequence(), attempts, error)
                : environment.outside(() -> environment.store().countAttempt(message.sequence(), attempts, error));
    }

    /** Reports an empty claim of the worker: no suspects are left. */
    public void workerHasCaughtUp(String destination) {
        AtomicInteger left = suspectsLeft.get(destination);
        if (left != null) {
            left.set(0);
        }
    }

    /** Whether the worker may still have suspects, so that it has to claim until it finds nothing. */
    public boolean hasSuspects(String destination) {
        AtomicInteger left = suspectsLeft.get(destination);
        return left != null && left.get() > 0;
    }

    /** Whether no worker has suspects left. Before that, the row of this process has to stay when it stops. */
    public boolean isComplete() {
        return suspectsLeft.values().stream().allMatch(left -> left.get() <= 0);
    }

    /**
     * The processes that crashed.
     *
     * @param nodes the rows of the processes that did not stop in order
     * @param runs tests whether a process with this id runs on this machine
     * @param uptime the time since this process started
     */
    static List<OutboxNode> crashed(List<OutboxNode> nodes, ThisNode self, LongPredicate runs, Duration uptime) {
        return nodes.stream()
                .filter(other -> !other.id().equals(self.id()))
                .filter(other -> isCrashed(other, self, runs, uptime))
                .toList();
    }

    /**
     * On this machine the operating system knows whether a process runs. But containers may share a host name, each
     * with its own process ids. So a node with a heartbeat since this process started is alive. On other machines only
     * the heartbeat counts.
     */
    private static boolean isCrashed(OutboxNode other, ThisNode self, LongPredicate runs, Duration uptime) {
        boolean here = isInPlaceOf(other, self);
        boolean unseen = other.silentFor().compareTo(uptime) > 0;
        if (here && other.process() == self.process()) {
            return unseen;
        }
        return here && unseen && !runs.test(other.process()) || !other.isAlive();
    }

    private static boolean isInPlaceOf(OutboxNode other, ThisNode self) {
        return other.host().equals(self.host()) && other.server().equals(self.server());
    }

    /**
     * The last crash: the last heartbeat plus its tolerance, or the start of this process. A message stored later was
     * not in flight at a crash.
     *
     * @return null if no process crashed
     */
    static Instant lastCrash(List<OutboxNode> crashed, List<OutboxNode> nodes, ThisNode self) {
        Instant start = nodes.stream()
                .filter(other -> other.id().equals(self.id()))
                .map(OutboxNode::startedAt)
                .findFirst()
                .orElse(Instant.MAX);
        return crashed.stream()
                .map(dead -> dead.lastSeenAt().plus(OutboxNode.DEAD_AFTER))
                .max(Instant::compareTo)
                .map(last -> last.isBefore(start) ? last : start)
                .orElse(null);
    }
}

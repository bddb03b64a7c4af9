package dev.cdioutbox.internal.dispatch.crash;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.NodeIdentity;

/**
 * Knows which processes crashed before this one, and which messages they may have been sending. An orderly stop deletes
 * the process's row in the node table, so a remaining row shows a crash. Thread-safe.
 */
public final class CrashRecovery {
    private static final Logger LOG = Logger.getLogger(CrashRecovery.class.getName());

    private final Environment environment;
    private final Supplier<Duration> uptime;
    private final Map<String, AtomicInteger> suspectsLeft = new ConcurrentHashMap<>();
    private volatile Instant lastCrash;
    private boolean loaded;

    /** @param uptime the time since this process started */
    public CrashRecovery(Environment environment, Supplier<Duration> uptime) {
        this.environment = environment;
        this.uptime = uptime;
    }

    /** Prepares a destination's worker before its first claim. Reads the rows once, and fails if the database is unreachable. */
    public void prepare(String destination, OutboxConfig config) throws Exception {
        load();
        if (lastCrash != null) {
            suspectsLeft.computeIfAbsent(destination, d -> new AtomicInteger(maxSuspects(d, config)));
        }
    }

    /** The most messages that a crashed worker's claims can have held while it visited each partition once. */
    private static int maxSuspects(String destination, OutboxConfig config) {
        ClaimLimits limits = ClaimLimits.of(config);
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
        NodeIdentity node = environment.node();
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

    /** Whether a crashed process may have been sending this message. */
    boolean isSuspect(String destination, OutboxMessage message) {
        AtomicInteger left = suspectsLeft.get(destination);
        return left != null && left.get() > 0 && !message.createdAt().isAfter(lastCrash);
    }

    /** Reports that a suspect was sent singly without a crash. */
    void sentSingly(String destination) {
        suspectsLeft.get(destination).decrementAndGet();
    }

    /** Reports an empty claim of the worker: no suspects are left. */
    public void workerHasCaughtUp(String destination) {
        AtomicInteger left = suspectsLeft.get(destination);
        if (left != null) {
            left.set(0);
        }
    }

    /** Whether no worker has suspects left. Before that, the row of this process has to stay when it stops. */
    boolean isComplete() {
        return suspectsLeft.values().stream().allMatch(left -> left.get() <= 0);
    }

    /**
     * The processes that crashed.
     *
     * @param nodes the rows of the processes that did not stop in order
     * @param runs tests whether a process with this id runs on this machine
     * @param uptime the time since this process started
     */
    static List<OutboxNode> crashed(List<OutboxNode> nodes, NodeIdentity self, LongPredicate runs, Duration uptime) {
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
    private static boolean isCrashed(OutboxNode other, NodeIdentity self, LongPredicate runs, Duration uptime) {
        boolean here = isInPlaceOf(other, self);
        boolean unseen = other.silentFor().compareTo(uptime) > 0;
        if (here && other.process() == self.process()) {
            return unseen;
        }
        return here && unseen && !runs.test(other.process()) || !other.isAlive();
    }

    private static boolean isInPlaceOf(OutboxNode other, NodeIdentity self) {
        return other.host().equals(self.host()) && other.server().equals(self.server());
    }

    /**
     * The last crash: the last heartbeat plus its tolerance, or the start of this process. A message stored later was
     * not in flight at a crash.
     *
     * @return null if no process crashed
     */
    static Instant lastCrash(List<OutboxNode> crashed, List<OutboxNode> nodes, NodeIdentity self) {
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

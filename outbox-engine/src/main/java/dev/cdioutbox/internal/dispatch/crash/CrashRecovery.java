package dev.cdioutbox.internal.dispatch.crash;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.CrashHistory;
import dev.cdioutbox.operate.OutboxNode;

/**
 * Finds the message that crashes each process that sends it, for example by a fault in native code. No table records what a
 * process is sending, so the first crash does not show which message it was.
 *
 * <ol>
 *   <li>Before its first claim, a process looks for crashed ones ({@link CrashedNodes}). If there are any, each message that
 *       waits and was stored before the last crash is a suspect.
 *   <li>Each worker sends as many suspects one by one as a crashed worker can have held (2,000 with the default settings and one or two nodes),
 *       and then goes on in batches ({@link DestinationRecovery}). Such a send is counted on its queue row ({@link
 *       UnfinishedSends}), and a crash leaves the count.
 *   <li>Whichever node claims a message with a count sends it alone as well. A message with three unfinished sends, or
 *       {@code outbox.retry.max-attempts} if that is less, is abandoned. If a second one follows without a delivery between
 *       them, no process that meets it sends anything to the destination until an operator has retried or discarded it
 *       ({@link CrashPolicy}).
 * </ol>
 *
 * <p>So a message crashes its processes four times, once in a batch and three times alone. Thread-safe.
 */
public final class CrashRecovery {
    private static final Logger LOG = Logger.getLogger(CrashRecovery.class.getName());

    private final Environment environment;
    private final ThisNode self;
    private final Supplier<OutboxConfig> current;
    private final NodeStore nodes;
    private final CrashHistory history;
    private final ClaimStore claims;
    private final Supplier<Duration> uptime;
    private final UnfinishedSends unfinishedSends;
    private final SingleSends singleSends;
    /** By the names of their destinations. */
    private final Map<String, DestinationRecovery> destinations = new ConcurrentHashMap<>();
    /** Guarded by this object's lock. */
    private boolean isPrepared;

    /**
     * @param current supplies the current configuration of the outbox
     * @param uptime the time since this process started
     */
    public CrashRecovery(
            Environment environment,
            ThisNode self,
            Supplier<OutboxConfig> current,
            JdbcOutboxStore store,
            Supplier<Duration> uptime) {
        this(environment, self, current, store, uptime, SingleSends.LOCK_WAIT);
    }

    /** @param lockWait how long a message to be sent alone waits for another one */
    public CrashRecovery(
            Environment environment,
            ThisNode self,
            Supplier<OutboxConfig> current,
            JdbcOutboxStore store,
            Supplier<Duration> uptime,
            Duration lockWait) {
        this.environment = environment;
        this.self = self;
        this.current = current;
        this.nodes = store.nodes();
        this.history = store.crashes();
        this.claims = store.claims();
        this.uptime = uptime;
        unfinishedSends = new UnfinishedSends(environment, store.pendingRows());
        singleSends = new SingleSends(environment, unfinishedSends, lockWait);
    }

    /** The recovery of a destination. */
    public DestinationRecovery of(String destination) {
        return destinations.computeIfAbsent(
                destination,
                name -> new DestinationRecovery(name, environment, history, claims, unfinishedSends, singleSends));
    }

    /** Call this before the first claim. Reads the nodes once, and fails if the database is unreachable. */
    public synchronized void prepare() throws Exception {
        if (isPrepared) {
            return;
        }
        // Measured before the query: then a predecessor is silent for longer than this in any case.
        Duration running = uptime.get();
        List<OutboxNode> all = environment.outside(nodes::all);
        CrashedNodes crashed =
                CrashedNodes.among(all, self, pid -> ProcessHandle.of(pid).isPresent(), running);
        if (crashed.last() != null) {
            beginAfter(crashed.last(), all.size());
        }
        crashed.inPlaceOf(self).forEach(dead -> delete(dead.id()));
        isPrepared = true;
    }

    /** Also for destinations that are not served now: the row of the crashed process is deleted for all of them. */
    private void beginAfter(Instant lastCrash, int nodes) {
        OutboxConfig config = current.get();
        for (String destination : config.destinations().keySet()) {
            int most = mostInFlight(config.of(destination), nodes);
            LOG.info(OutboxCode.SINGLE_MESSAGE_DELIVERY.text(config.destinationId(destination), most));
            of(destination).begin(lastCrash, most);
        }
    }

    /**
     * The most messages that a crashed worker's claims can have held while it visited each partition once.
     *
     * @param nodes how many nodes there were, crashed ones included: their claims shared the partitions
     */
    private static int mostInFlight(OutboxConfig config, int nodes) {
        ClaimLimits limits = ClaimLimits.of(config, config.dispatcher().concurrency(), nodes);
        return limits.rounds(config) * limits.messages();
    }

    /** This process's own row stays until the recovery is complete, so a further crash is not forgotten. */
    private void delete(String node) {
        try {
            environment.outside(() -> nodes.delete(node));
        } catch (Exception e) {
            LOG.log(Level.FINE, e, () -> "the row of a crashed process is still there: " + FailureReason.of(e));
        }
    }

    /**
     * Call this when the application stops.
     *
     * @return whether no suspects wait. Before that, the row of this process has to stay
     */
    public boolean stop() {
        unfinishedSends.stop();
        return destinations.values().stream().noneMatch(DestinationRecovery::hasWaitingSuspects);
    }
}

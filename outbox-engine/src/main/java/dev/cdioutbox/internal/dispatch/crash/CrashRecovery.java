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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.dispatch.delivery.BatchRecovery;
import dev.cdioutbox.internal.store.Followers;
import dev.cdioutbox.internal.store.NodeStore;
import dev.cdioutbox.internal.store.ThisNode;
import dev.cdioutbox.internal.store.backlog.BacklogReader;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxNode;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Finds the message that crashes each process that sends it, for example by a fault in native code. No table records what a
 * process is sending, so the first crash does not show which message it was.
 *
 * <ol>
 *   <li>Before its first claim, a process looks for crashed ones ({@link CrashedNodes}). If there are any, each message that
 *       waits and was stored before the last crash is a suspect.
 *   <li>Each worker sends as many suspects one by one as a crashed worker can have held (2,000 with the default settings),
 *       and then goes on in batches. Such a send is counted on its queue row ({@link UnfinishedSends}), and a crash leaves
 *       the count.
 *   <li>Whichever node claims a message with a count sends it alone as well. A message with three unfinished sends, or
 *       {@code outbox.retry.max-attempts} if that is less, is abandoned. If a second one follows without a delivery between
 *       them, no process that meets it sends anything to the destination until an operator has retried or discarded it.
 * </ol>
 *
 * <p>So a message crashes its processes four times, once in a batch and three times alone. Thread-safe.
 */
public final class CrashRecovery {
    private static final Logger LOG = Logger.getLogger(CrashRecovery.class.getName());

    /** In crashes while a message is sent singly; a lower max-attempts applies instead. */
    private static final int MAX_CRASHES = 3;

    private final Environment environment;
    private final ThisNode self;
    private final Supplier<OutboxConfig> current;
    private final NodeStore nodes;
    private final BacklogReader messages;
    private final ClaimStore claims;
    private final Supplier<Duration> uptime;
    private final UnfinishedSends unfinishedSends;
    /** How many more messages of each destination may have been in flight at the crash; empty without a crash. */
    private final Map<String, AtomicInteger> suspectsLeft = new ConcurrentHashMap<>();

    /**
     * What this process has last found of each destination for which it has asked. It asks again for each message that is to be
     * given up, and as long as the destination is stopped. If another process stops it meanwhile, this one delivers, or crashes.
     */
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();

    private CrashedNodes crashed;

    /** Whether a crashing message stops a destination. */
    private enum Answer {
        GOES_ON,
        IS_STOPPED
    }

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
        this(environment, self, current, store, uptime, UnfinishedSends.LOCK_WAIT);
    }

    /** @param lockWait how long a message to be sent singly waits for another one */
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
        this.messages = store.status();
        this.claims = store.claims();
        this.uptime = uptime;
        unfinishedSends = new UnfinishedSends(environment, store.pendingRows(), lockWait);
    }

    /** Call this before the first claim. Reads the nodes once, and fails if the database is unreachable. */
    public void prepare() throws Exception {
        crashed();
    }

    /** The most messages that a crashed worker's claims can have held while it visited each partition once. */
    private static int maxSuspects(String destination, OutboxConfig config) {
        int most = ClaimLimits.rounds(config) * ClaimLimits.of(config).messages();
        LOG.info(OutboxCode.SINGLE_MESSAGE_DELIVERY.text(config.destinationId(destination), most));
        return most;
    }

    private synchronized CrashedNodes crashed() throws Exception {
        if (crashed == null) {
            // Measured before the query: then a predecessor is silent for longer than this in any case.
            Duration running = uptime.get();
            List<OutboxNode> all = environment.outside(nodes::all);
            CrashedNodes found =
                    CrashedNodes.among(all, self, pid -> ProcessHandle.of(pid).isPresent(), running);
            if (found.last() != null) {
                OutboxConfig config = current.get();
                // Also of those that are not served now: the row of the crashed process is deleted for all of them.
                for (String destination : config.destinations().keySet()) {
                    int most = maxSuspects(destination, config.of(destination));
                    suspectsLeft.put(destination, new AtomicInteger(most));
                }
            }
            found.inPlaceOf(self).forEach(dead -> delete(dead.id()));
            crashed = found;
        }
        return crashed;
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
     * Whether something of a destination may have been in flight in a process that crashed, so that a batch must be delivered by
     * this class. Without that, a batch concerns it only if it has a count.
     */
    public boolean concerns(String destination) {
        return hasSuspects(destination) || answers.get(destination) == Answer.IS_STOPPED;
    }

    /**
     * Delivers the messages of a claim: in one batch, unless some of them have to be sent one by one.
     *
     * @param counted the number of unfinished sends of each message, by sequence
     */
    public BatchDelivery deliver(BatchRecovery delivery, Map<Long, Integer> counted) throws Exception {
        Map<Long, Integer> unfinished = unfinishedSends.corrected(counted);
        String destination = delivery.context().id().name();
        List<OutboxMessage> crashing = crashing(delivery, unfinished);
        if (config(delivery).retry().blockOnAbandon()) {
            // Nothing is skipped, so the destination need not work.
            crashing.forEach(message -> recordCrash(delivery, message));
        } else if ((!unfinished.isEmpty() || concerns(destination)) && recordFirst(delivery, crashing)) {
            return delivery.deliverNothing();
        }
        List<OutboxMessage> single = without(crashing, single(destination, delivery.sendable(), unfinished));
        return single.isEmpty()
                ? delivery.deliver()
                : unfinishedSends.deliver(delivery, single, unfinished, () -> sentSingly(destination));
    }

    private void sentSingly(String destination) {
        AtomicInteger left = suspectsLeft.get(destination);
        if (left != null) {
            left.decrementAndGet();
        }
    }

    private static OutboxConfig config(BatchRecovery delivery) {
        return delivery.context().config();
    }

    /** The messages that no process may send any more. */
    private static List<OutboxMessage> crashing(BatchRecovery delivery, Map<Long, Integer> unfinished) {
        int most = Math.min(MAX_CRASHES, config(delivery).retry().maxAttempts());
        return delivery.batch().stream()
                .filter(message -> unfinished.getOrDefault(message.sequence(), 0) >= most)
                .toList();
    }

    /**
     * The first message that crashes its process will be abandoned. Later messages of its key wait for the next claim. But if one
     * was skipped before without a delivery since, the node may be at fault, for example a codec that ends the process: then the
     * message fails with a reason that stops the destination, and keeps its count, so that each node that claims it asks.
     *
     * @return whether the others wait for the next claim
     */
    private boolean recordFirst(BatchRecovery delivery, List<OutboxMessage> crashing) throws Exception {
        String destination = delivery.context().id().name();
        OutboxMessage first = firstOfItsKey(delivery.batch(), crashing);
        if (first == null && answers.get(destination) == Answer.GOES_ON) {
            return false;
        }
        boolean crashedBefore = hasCrashedSinceDelivery(delivery);
        if (crashedBefore) {
            requireNotStopped(delivery);
        }
        answers.put(destination, crashedBefore && first != null ? Answer.IS_STOPPED : Answer.GOES_ON);
        if (first == null) {
            return false;
        }
        if (crashedBefore) {
            String text =
                    OutboxCode.CRASHES_STOP_DESTINATION.text(delivery.context().id(), first.sequence());
            delivery.recordFailure(first, new PublishException(Blame.UNKNOWN, text, null));
            return true;
        }
        recordCrash(delivery, first);
        return crashing.size() > 1;
    }

    /** A message that follows another one cannot be charged. It waits for the claim that begins with it. */
    private static OutboxMessage firstOfItsKey(List<OutboxMessage> batch, List<OutboxMessage> crashing) {
        Followers followers = new Followers();
        for (OutboxMessage message : batch) {
            if (crashing.contains(message) && !followers.mustWait(message.orderingKey())) {
                return message;
            }
            followers.waitFor(message.orderingKey());
        }
        return null;
    }

    /** These messages without those that crash their process, and without the followers of these. */
    private static List<OutboxMessage> without(List<OutboxMessage> crashing, List<OutboxMessage> some) {
        Followers followers = new Followers();
        List<OutboxMessage> others = new ArrayList<>();
        for (OutboxMessage message : some) {
            if (crashing.contains(message) || followers.mustWait(message.orderingKey())) {
                followers.waitFor(message.orderingKey());
            } else {
                others.add(message);
            }
        }
        return others;
    }

    /** Whether a message was skipped for its crashes, and no delivery to the destination has followed. */
    private boolean hasCrashedSinceDelivery(BatchRecovery delivery) throws Exception {
        return !isUnrecordedProof(delivery)
                && environment.outside(() -> messages.crashedSinceDelivery(
                                delivery.context().id().name()))
                        != null;
    }

    /** Whether this node has delivered a message to the destination, of which the tables keep no record. */
    private static boolean isUnrecordedProof(BatchRecovery delivery) {
        return config(delivery).retention().leavesWhenPublished()
                && delivery.context().destination().lastDelivery().get() != null;
    }

    private void requireNotStopped(BatchRecovery delivery) throws Exception {
        String destination = delivery.context().id().name();
        Long stopping = environment.outside(() -> messages.stoppedBy(destination));
        if (stopping != null) {
            answers.put(destination, Answer.IS_STOPPED);
            String text =
                    OutboxCode.CRASHES_STOP_DESTINATION.text(delivery.context().id(), stopping);
            throw new PublishException(Blame.DESTINATION, text, null);
        }
    }

    private static void recordCrash(BatchRecovery delivery, OutboxMessage message) {
        delivery.recordFailure(
                message, new PublishException(Blame.MESSAGE, OutboxCode.CRASHED_ITS_PROCESS.text(), null));
    }

    /** The messages to send singly, in order: the suspects, each with all earlier messages of its key. */
    private List<OutboxMessage> single(String destination, List<OutboxMessage> batch, Map<Long, Integer> unfinished)
            throws Exception {
        Instant lastCrash = hasSuspects(destination) ? crashed().last() : Instant.MIN;
        Deque<OutboxMessage> single = new ArrayDeque<>();
        Set<String> keys = new HashSet<>();
        for (int i = batch.size() - 1; i >= 0; i--) {
            OutboxMessage message = batch.get(i);
            String key = message.orderingKey();
            boolean isSuspect = unfinished.containsKey(message.sequence())
                    || !message.createdAt().isAfter(lastCrash);
            if (isSuspect || key != null && keys.contains(key)) {
                single.addFirst(message);
                keys.add(key);
            }
        }
        return List.copyOf(single);
    }

    /**
     * Reports a claim that found nothing. No suspects are left if no message waits at all: a claim does not see those that are
     * paused or locked, or that the crashed process has leased.
     */
    public void foundNothing(String destination) throws Exception {
        if (hasSuspects(destination) && !environment.outside(() -> claims.isWaiting(destination))) {
            suspectsLeft.get(destination).set(0);
        }
    }

    private boolean hasSuspects(String destination) {
        AtomicInteger left = suspectsLeft.get(destination);
        return left != null && left.get() > 0;
    }

    /**
     * Call this when the application stops.
     *
     * @return whether no suspects wait. Before that, the row of this process has to stay
     */
    public boolean stop() {
        unfinishedSends.stop();
        return suspectsLeft.keySet().stream().filter(this::hasSuspects).noneMatch(claims::isWaiting);
    }
}

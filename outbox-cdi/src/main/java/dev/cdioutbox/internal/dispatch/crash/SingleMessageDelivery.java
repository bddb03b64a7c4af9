package dev.cdioutbox.internal.dispatch.crash;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryContext;
import dev.cdioutbox.internal.dispatch.worker.WorkerThreads;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Delivers the messages of a claim. After a crash, each message that may have been in flight is counted on its row and
 * then sent singly. A message with too many counts has crashed that many processes, and is abandoned. Thread-safe.
 */
public final class SingleMessageDelivery {
    /** In crashes while a message is sent singly; a lower max-attempts applies instead. */
    private static final int MAX_CRASHES = 3;

    /** A hanging destination never releases the lock, and must not stop the others. */
    private static final Duration LOCK_WAIT = Duration.ofSeconds(10);

    private final Environment environment;
    private final CrashRecovery crashRecovery;

    /** Only one suspect at a time, since a crash would count against both. Fair, so that no worker starves. */
    private final ReentrantLock lock = new ReentrantLock(true);

    private final Duration lockWait;

    public SingleMessageDelivery(Environment environment, CrashRecovery crashRecovery) {
        this(environment, crashRecovery, LOCK_WAIT);
    }

    SingleMessageDelivery(Environment environment, CrashRecovery crashRecovery, Duration lockWait) {
        this.environment = environment;
        this.crashRecovery = crashRecovery;
        this.lockWait = lockWait;
    }

    /** @return the first message left for another batch; null if there is none */
    public OutboxMessage deliver(List<OutboxMessage> batch, Map<Long, String> unreadable, DeliveryContext context)
            throws Exception {
        List<OutboxMessage> rest = withoutCrashingMessages(batch, unreadable, context);
        List<OutboxMessage> suspects = suspects(context.destination(), rest);
        if (!suspects.isEmpty()) {
            return deliverSingly(rest, suspects, context);
        }
        BatchDelivery delivery = new BatchDelivery(context, rest);
        delivery.deliver();
        return delivery.firstLeft();
    }

    /**
     * Abandons the messages that crash their process, and the unreadable ones. The later messages of their keys wait
     * for the next claim.
     */
    private List<OutboxMessage> withoutCrashingMessages(
            List<OutboxMessage> batch, Map<Long, String> unreadable, DeliveryContext context) throws Exception {
        int most = Math.min(MAX_CRASHES, context.config().retry().maxAttempts());
        List<OutboxMessage> rest = new ArrayList<>();
        List<BatchDelivery.Failure> crashing = new ArrayList<>();
        Set<String> blockedKeys = new HashSet<>();
        for (OutboxMessage message : batch) {
            if (isCounted(message) && message.delivery().attempts() >= most) {
                String reason = Problem.CRASHED_ITS_PROCESS.text();
                crashing.add(new BatchDelivery.Failure(message, new PublishException(Blame.MESSAGE, reason, null)));
                blockedKeys.add(message.orderingKey());
            } else if (message.orderingKey() == null || !blockedKeys.contains(message.orderingKey())) {
                rest.add(message);
            }
        }
        BatchDelivery.charge(crashing, unreadable, context);
        return rest;
    }

    /** Whether the last single send of the message has not ended: its count is still on the row. */
    private static boolean isCounted(OutboxMessage message) {
        String error = message.delivery().lastError();
        return error != null && error.startsWith(Problem.CRASHED_ITS_PROCESS.code());
    }

    /** The messages to send singly, in order: the suspects, each with all earlier messages of its key. */
    private List<OutboxMessage> suspects(String destination, List<OutboxMessage> batch) {
        Deque<OutboxMessage> suspects = new ArrayDeque<>();
        Set<String> keys = new HashSet<>();
        for (int i = batch.size() - 1; i >= 0; i--) {
            OutboxMessage message = batch.get(i);
            String key = message.orderingKey();
            if (crashRecovery.isSuspect(destination, message) || key != null && keys.contains(key)) {
                suspects.addFirst(message);
                keys.add(key);
            }
        }
        return List.copyOf(suspects);
    }

    /** The other messages wait for the next claim. By then the keys of failed messages are blocked. */
    private OutboxMessage deliverSingly(
            List<OutboxMessage> batch, List<OutboxMessage> suspects, DeliveryContext context) throws Exception {
        boolean alone = lock.tryLock(lockWait.toNanos(), TimeUnit.NANOSECONDS);
        try {
            Set<String> blockedKeys = new HashSet<>();
            long start = System.nanoTime();
            for (OutboxMessage message : suspects) {
                if (environment.isStopping() || System.nanoTime() - start > WorkerThreads.TIME_SLICE.toNanos()) {
                    return message;
                }
                String key = message.orderingKey();
                if (!blockedKeys.contains(key) && !sendSingly(message, context) && key != null) {
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
    private boolean sendSingly(OutboxMessage message, DeliveryContext context) throws Exception {
        int before = message.delivery().attempts();
        if (!count(message, before + 1, Problem.CRASHED_ITS_PROCESS.text())) {
            return false;
        }
        try {
            // A charge sets the attempts to one more than the claim has read, so it does not count them again.
            BatchDelivery delivery = new BatchDelivery(context, List.of(message));
            delivery.deliver();
            crashRecovery.sentSingly(context.destination());
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
}

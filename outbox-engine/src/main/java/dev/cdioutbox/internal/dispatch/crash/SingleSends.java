package dev.cdioutbox.internal.dispatch.crash;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.dispatch.delivery.BatchRecovery;

/**
 * Sends messages of a batch one by one, so that a crash shows which of them was being sent: {@link UnfinishedSends} counts each send
 * on the row of its message before it begins, and takes that back when it ends, also by a failure. Thread-safe.
 */
final class SingleSends {
    /** A hanging destination never releases the lock, and must not stop the others. */
    static final Duration LOCK_WAIT = Duration.ofSeconds(10);

    /**
     * Only one such message of the application at a time, since a crash would count against both; static, because the
     * application may have several outboxes. Fair, so that no worker starves.
     */
    private static final ReentrantLock ALONE = new ReentrantLock(true);

    private final Environment environment;
    private final UnfinishedSends unfinishedSends;
    private final Duration lockWait;

    /** @param lockWait how long a message to be sent alone waits for another one */
    SingleSends(Environment environment, UnfinishedSends unfinishedSends, Duration lockWait) {
        this.environment = environment;
        this.unfinishedSends = unfinishedSends;
        this.lockWait = lockWait;
    }

    /**
     * Delivers some messages of a batch, and leaves the others to the next claim.
     *
     * @param messages in order; of each key the first ones
     * @param counts the unfinished sends of each message, by sequence
     * @param afterEach called after each send that has not failed by the destination or the database
     */
    BatchDelivery deliver(
            BatchRecovery delivery, List<OutboxMessage> messages, Map<Long, Integer> counts, Runnable afterEach)
            throws Exception {
        boolean isAlone = ALONE.tryLock(lockWait.toNanos(), TimeUnit.NANOSECONDS);
        try {
            return delivery.settlingUnsent(() -> {
                // Before a send that may crash this process.
                delivery.settleUnsent();
                sendEach(delivery, messages, counts, afterEach);
            });
        } finally {
            if (isAlone) {
                ALONE.unlock();
            }
        }
    }

    private void sendEach(
            BatchRecovery delivery, List<OutboxMessage> messages, Map<Long, Integer> counts, Runnable afterEach)
            throws Exception {
        long start = environment.nanoTime();
        for (OutboxMessage message : messages) {
            if (environment.isStopping() || environment.nanoTime() - start > Environment.TIME_SLICE.toNanos()) {
                return;
            }
            int count = counts.getOrDefault(message.sequence(), 0);
            if (delivery.outcome().isSendable(message) && unfinishedSends.begin(message.sequence(), count)) {
                send(delivery, message, count, afterEach);
            }
        }
    }

    private void send(BatchRecovery delivery, OutboxMessage message, int count, Runnable afterEach) throws Exception {
        long sequence = message.sequence();
        try {
            delivery.deliverAlone(message);
        } catch (Exception e) {
            // The destination or the database has failed, perhaps before the send.
            try {
                unfinishedSends.takeBack(sequence, count, delivery.outcome().isInDoubt(message));
            } catch (Exception another) {
                e.addSuppressed(another);
            }
            throw e;
        }
        if (delivery.outcome().isOpen(message)) {
            // The message was not sent: the application stops, or the batch has no time left.
            unfinishedSends.takeBack(sequence, count, false);
            return;
        }
        afterEach.run();
        if (delivery.outcome().isSettled(message)) {
            unfinishedSends.settled(sequence);
        } else {
            unfinishedSends.takeBack(sequence, 0, delivery.outcome().isInDoubt(message));
        }
    }
}

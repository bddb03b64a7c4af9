package dev.cdioutbox.internal.dispatch.crash;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.store.Followers;

/**
 * Sends messages of a batch one by one, so that a crash shows which of them was being sent: each send is counted on the queue
 * row of its message ({@link UnfinishedSends}), and a crash leaves the count. Thread-safe.
 */
final class SingleDelivery {
    /** A hanging destination never releases the lock, and must not stop the others. */
    static final Duration LOCK_WAIT = Duration.ofSeconds(10);

    /**
     * Only one such message of the application at a time, since a crash would count against both; static, because the
     * application may have several outboxes. Fair, so that no worker starves.
     */
    private static final ReentrantLock ALONE = new ReentrantLock(true);

    private final Services services;
    private final Duration lockWait;
    private final UnfinishedSends unfinishedSends;

    SingleDelivery(Services services, Duration lockWait, UnfinishedSends unfinishedSends) {
        this.services = services;
        this.lockWait = lockWait;
        this.unfinishedSends = unfinishedSends;
    }

    /**
     * Sends some messages of a batch. The others wait for the next claim. By then the keys of failed messages are blocked.
     *
     * @param single these of the batch, in order; of each key the first ones
     * @param unfinished the number of unfinished sends of each message, by sequence
     * @param ended called after each send
     * @return the first message left for another batch; null if there is none
     */
    OutboxMessage deliver(
            BatchDelivery delivery,
            List<OutboxMessage> batch,
            List<OutboxMessage> single,
            Map<Long, Integer> unfinished,
            Runnable ended)
            throws Exception {
        boolean alone = ALONE.tryLock(lockWait.toNanos(), TimeUnit.NANOSECONDS);
        try {
            Followers followers = new Followers();
            long start = services.nanoTime();
            for (OutboxMessage message : single) {
                if (services.isStopping() || services.nanoTime() - start > Services.TIME_SLICE.toNanos()) {
                    return message;
                }
                String key = message.orderingKey();
                if (!followers.mustWait(key)) {
                    int before = unfinished.getOrDefault(message.sequence(), 0);
                    boolean isSettled = send(delivery.of(List.of(message)), message, before, ended);
                    if (!isSettled) {
                        followers.waitFor(key);
                    }
                }
            }
            return batch.stream().filter(m -> !single.contains(m)).findFirst().orElse(null);
        } finally {
            if (alone) {
                ALONE.unlock();
            }
        }
    }

    /**
     * @param before the counted sends of the message that have not ended
     * @return whether the message is settled
     */
    private boolean send(BatchDelivery delivery, OutboxMessage message, int before, Runnable ended) throws Exception {
        long sequence = message.sequence();
        if (!unfinishedSends.begin(sequence, before)) {
            return false;
        }
        try {
            delivery.deliver();
        } catch (Exception e) {
            try {
                // The send may not have begun.
                unfinishedSends.takeBack(sequence, before, delivery.isInDoubt());
            } catch (Exception another) {
                e.addSuppressed(another);
            }
            throw e;
        }
        ended.run();
        if (delivery.isSettled()) {
            unfinishedSends.settled(sequence);
        } else {
            unfinishedSends.takeBack(sequence, 0, delivery.isInDoubt());
        }
        return delivery.isSettled();
    }
}

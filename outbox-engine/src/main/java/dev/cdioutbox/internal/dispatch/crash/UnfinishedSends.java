package dev.cdioutbox.internal.dispatch.crash;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery;
import dev.cdioutbox.internal.dispatch.delivery.BatchRecovery;
import dev.cdioutbox.internal.dispatch.delivery.BatchRecovery.SingleSends;
import dev.cdioutbox.internal.store.settle.PendingRows;

/**
 * Sends messages one by one, so that a crash shows which of them was being sent: counts each send on the row of its message before
 * it begins, and takes that back when it ends, by a failure too, or when the application stops. So a crash leaves the count on the
 * row. A send in doubt leaves it, too, since the row is locked: if recovery rolls the send back, this process remembers the right
 * count. {@link CrashRecovery} decides how many are too many. Thread-safe.
 */
final class UnfinishedSends {
    /** A hanging destination never releases the lock, and must not stop the others. */
    static final Duration LOCK_WAIT = Duration.ofSeconds(10);

    /**
     * Only one such message of the application at a time, since a crash would count against both; static, because the
     * application may have several outboxes. Fair, so that no worker starves.
     */
    private static final ReentrantLock ALONE = new ReentrantLock(true);

    private final Environment environment;
    private final PendingRows pendingRows;
    private final Duration lockWait;

    /**
     * The right counts of messages whose rows have a higher one, by sequence: because the send has not ended, because the
     * write after its end has failed, or because that write would wait for a transaction in doubt.
     */
    private final Map<Long, Integer> unwritten = new ConcurrentHashMap<>();

    /** @param lockWait how long a message to be sent singly waits for another one */
    UnfinishedSends(Environment environment, PendingRows pendingRows, Duration lockWait) {
        this.environment = environment;
        this.pendingRows = pendingRows;
        this.lockWait = lockWait;
    }

    /**
     * Delivers some messages of a batch one by one.
     *
     * @param single these messages, in order; of each key the first ones
     * @param unfinished the number of unfinished sends of each message, by sequence
     * @param afterEach called after each send
     */
    BatchDelivery deliver(
            BatchRecovery delivery, List<OutboxMessage> single, Map<Long, Integer> unfinished, Runnable afterEach)
            throws Exception {
        boolean alone = ALONE.tryLock(lockWait.toNanos(), TimeUnit.NANOSECONDS);
        try {
            return delivery.deliverSingly(single, new Counting(unfinished, afterEach));
        } finally {
            if (alone) {
                ALONE.unlock();
            }
        }
    }

    private final class Counting implements SingleSends {
        private final Map<Long, Integer> before;
        private final Runnable afterEach;

        Counting(Map<Long, Integer> before, Runnable afterEach) {
            this.before = before;
            this.afterEach = afterEach;
        }

        @Override
        public boolean begins(OutboxMessage message) throws Exception {
            return begin(message.sequence(), countBefore(message));
        }

        @Override
        public void ended(OutboxMessage message, boolean isSettled, boolean isInDoubt) throws Exception {
            afterEach.run();
            if (isSettled) {
                unwritten.remove(message.sequence());
            } else {
                takeBack(message.sequence(), 0, isInDoubt);
            }
        }

        @Override
        public void failed(OutboxMessage message, boolean isInDoubt) throws Exception {
            takeBack(message.sequence(), countBefore(message), isInDoubt);
        }

        private int countBefore(OutboxMessage message) {
            return before.getOrDefault(message.sequence(), 0);
        }
    }

    /** The counts that a claim has read, without those that this process has survived. */
    Map<Long, Integer> corrected(Map<Long, Integer> counted) {
        Map<Long, Integer> corrected = new HashMap<>(counted);
        corrected.replaceAll((sequence, count) -> Math.min(count, unwritten.getOrDefault(sequence, count)));
        corrected.values().removeIf(count -> count == 0);
        return corrected;
    }

    /**
     * Counts a send, which begins now.
     *
     * @param before the count before
     * @return whether to send: the message still waits, and the application does not stop
     */
    private boolean begin(long sequence, int before) throws Exception {
        // Before the write, so that a stop at the same moment takes it back.
        unwritten.put(sequence, before);
        boolean begins = write(sequence, before + 1) && !environment.isStopping();
        if (!begins) {
            takeBack(sequence, before, false);
        }
        return begins;
    }

    /**
     * The send has ended, and this process has not crashed.
     *
     * @param count the right count
     * @param inDoubt whether the row may be locked, so that the write would wait
     */
    private void takeBack(long sequence, int count, boolean inDoubt) throws Exception {
        unwritten.put(sequence, count);
        if (inDoubt) {
            forgetSettled();
        } else {
            write(sequence, count);
            unwritten.remove(sequence);
        }
    }

    /** No claim meets a message again whose doubt has ended with a commit. */
    private void forgetSettled() throws Exception {
        Set<Long> known = Set.copyOf(unwritten.keySet());
        Set<Long> pending = environment.outside(() -> pendingRows.pending(known));
        known.stream().filter(sequence -> !pending.contains(sequence)).forEach(unwritten::remove);
    }

    /** @return whether the message still waits */
    private boolean write(long sequence, int count) throws Exception {
        // The container's transactions may be gone with the application.
        return environment.isStopping()
                ? pendingRows.countUnfinishedSend(sequence, count)
                : environment.outside(() -> pendingRows.countUnfinishedSend(sequence, count));
    }

    /** Takes the counts of hanging sends back, because the process may end before they do. */
    void stop() {
        Map<Long, Integer> counts = Map.copyOf(unwritten);
        // A commit that hangs or is in doubt has locked its row, and the stop must not wait for it.
        pendingRows
                .lockable(counts.keySet())
                .forEach(sequence -> pendingRows.countUnfinishedSend(sequence, counts.get(sequence)));
    }
}

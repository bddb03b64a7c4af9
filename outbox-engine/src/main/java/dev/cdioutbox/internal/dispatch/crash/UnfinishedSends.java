package dev.cdioutbox.internal.dispatch.crash;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.settle.PendingRows;

/**
 * Counts the sends of single messages on their rows: one more before a send begins, and as before when it ends, or when the
 * application stops. So a crash leaves the count on the row. A send in doubt leaves it, too, since the row is locked: if recovery
 * rolls the send back, this process remembers the right count. Thread-safe.
 */
final class UnfinishedSends {
    private final Environment environment;
    private final PendingRows pendingRows;

    /**
     * The right counts of messages whose rows have a higher one, by sequence: because the send has not ended, because the
     * write after its end has failed, or because that write would wait for a transaction in doubt.
     */
    private final Map<Long, Integer> unwritten = new ConcurrentHashMap<>();

    UnfinishedSends(Environment environment, PendingRows pendingRows) {
        this.environment = environment;
        this.pendingRows = pendingRows;
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
    boolean begin(long sequence, int before) throws Exception {
        // Before the write, so that a stop at the same moment takes it back.
        unwritten.put(sequence, before);
        boolean begins = write(sequence, before + 1) && !environment.isStopping();
        if (!begins) {
            takeBack(sequence, before, false);
        }
        return begins;
    }

    /** The send has ended, and its settlement has deleted the row with the count. */
    void settled(long sequence) {
        unwritten.remove(sequence);
    }

    /**
     * The send has ended, and this process has not crashed.
     *
     * @param count the right count
     * @param inDoubt whether the row may be locked, so that the write would wait
     */
    void takeBack(long sequence, int count, boolean inDoubt) throws Exception {
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

package dev.cdioutbox.internal.dispatch;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;

/**
 * The messages of a destination that a crashed process may have been sending: those stored before the crash, at most as
 * many as its claims can hold. Belongs to one worker. Thread-safe.
 */
final class CrashSuspects {
    private final Instant upTo;
    private final Set<Object> cleared = new HashSet<>();
    private final int most;
    private int left;
    private boolean reported;

    /**
     * @param most how many are taken for suspects, since those that were in flight were the first ones
     */
    CrashSuspects(Instant upTo, int most) {
        this.upTo = upTo;
        this.most = most;
        this.left = most;
    }

    /** Those of a batch, in order: each with all that precedes it in its key. */
    synchronized List<OutboxMessage> among(List<OutboxMessage> batch) {
        Set<String> keys = new HashSet<>();
        Deque<OutboxMessage> found = new ArrayDeque<>();
        for (int i = batch.size() - 1; i >= 0 && left > 0; i--) {
            OutboxMessage message = batch.get(i);
            String key = message.orderingKey();
            boolean precedes = key != null && keys.contains(key);
            if (!cleared.contains(of(message))
                    && (precedes || !message.createdAt().isAfter(upTo))) {
                found.addFirst(message);
                keys.add(key);
            }
        }
        return found.stream().limit(left).toList();
    }

    int most() {
        return most;
    }

    /** Once, so that an outage in the meantime is no reason to say it again. */
    synchronized boolean takeUnreported() {
        boolean news = !reported;
        reported = true;
        return news;
    }

    /** The message was sent singly, and the process did not crash. */
    synchronized void sentSafely() {
        left--;
    }

    /** The send failed, and the process did not crash: the message and its followers are no suspects any more. */
    synchronized void clear(OutboxMessage message) {
        left--;
        cleared.add(of(message));
    }

    /** From here on there are none. */
    synchronized void clearAll() {
        left = 0;
    }

    private static Object of(OutboxMessage message) {
        return message.orderingKey() == null ? message.sequence() : message.orderingKey();
    }
}

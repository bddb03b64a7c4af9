package dev.cdioutbox.internal.dispatch;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;

/**
 * The messages of a worker that a process which died can have been sending: those that were stored by then, as many as its
 * claims hold while it goes once around. Belongs to a worker of a process that began behind a death. Thread-safe.
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

    /** It was sent alone, and nobody died. */
    synchronized void sentSafely() {
        left--;
    }

    /** It could not be sent, and nobody died of that either: it and what follows it are no suspects any more. */
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

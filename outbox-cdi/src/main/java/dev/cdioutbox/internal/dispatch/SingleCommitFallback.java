package dev.cdioutbox.internal.dispatch;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.OutboxMessage;

/**
 * After commits failed down to single messages, the next batch begins with one single message, each time another one.
 * The other messages follow once a commit succeeds. Thread-safe.
 */
final class SingleCommitFallback {
    private final AtomicInteger failedTries = new AtomicInteger();

    void commitFailed() {
        failedTries.incrementAndGet();
    }

    void commitSucceeded() {
        failedTries.set(0);
    }

    /** Who goes ahead: the first one of a key; null if all go. */
    OutboxMessage single(List<OutboxMessage> batch) {
        int tries = failedTries.get();
        if (tries == 0 || batch.size() < 2) {
            return null;
        }
        Set<String> keys = new HashSet<>();
        List<OutboxMessage> first = batch.stream()
                .filter(message -> message.orderingKey() == null || keys.add(message.orderingKey()))
                .toList();
        return first.get((tries - 1) % first.size());
    }

    /** The result of a batch of which only one message was sent. */
    static SendResult rest(List<OutboxMessage> batch, OutboxMessage ahead) {
        OutboxMessage next =
                batch.stream().filter(message -> message != ahead).findFirst().orElse(null);
        return new SendResult(List.of(), List.of(), List.of(), Map.of(), next);
    }
}

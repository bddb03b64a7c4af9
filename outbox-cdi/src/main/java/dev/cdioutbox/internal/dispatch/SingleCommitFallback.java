package dev.cdioutbox.internal.dispatch;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.OutboxMessage;

/**
 * Where a worker's commits failed, down to single messages, the next batches would be sent and taken apart in vain too. So one
 * message goes ahead alone, each time another one, since the first may be to blame; the others follow once one gets through.
 * Thread-safe.
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

    /** What is told of a batch that all but one wait for. */
    static SendResult rest(List<OutboxMessage> batch, OutboxMessage ahead) {
        OutboxMessage next =
                batch.stream().filter(message -> message != ahead).findFirst().orElse(null);
        return new SendResult(List.of(), List.of(), List.of(), Map.of(), next);
    }
}

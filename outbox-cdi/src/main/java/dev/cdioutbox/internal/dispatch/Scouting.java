package dev.cdioutbox.internal.dispatch;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.OutboxMessage;

/**
 * Where a lane's commits failed, down to single messages, the next batches would be sent and taken apart in vain too. So one
 * message goes ahead alone, each time another one, since the first may be to blame; the others follow once one gets through.
 * Thread-safe.
 */
final class Scouting {
    private final AtomicInteger inVain = new AtomicInteger();

    void failed() {
        inVain.incrementAndGet();
    }

    void gotThrough() {
        inVain.set(0);
    }

    /** Who goes ahead: the first one of a key; null if all go. */
    OutboxMessage ahead(List<OutboxMessage> batch) {
        int tries = inVain.get();
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
    static Sent rest(List<OutboxMessage> batch, OutboxMessage ahead) {
        OutboxMessage next =
                batch.stream().filter(message -> message != ahead).findFirst().orElse(null);
        return new Sent(List.of(), List.of(), List.of(), Map.of(), next);
    }
}

package dev.cdioutbox.internal.store.settle;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.NewMessage;

/**
 * The settlement of messages that were not sent, because they have expired or failed.
 *
 * @param deadLetters the messages to store for a dead-letter destination, by the sequence of the one that was given up
 */
public record UnsentSettlement(
        List<Long> expired, List<Retry> retries, RetentionConfig retention, Map<Long, NewMessage> deadLetters) {

    public UnsentSettlement {
        expired = List.copyOf(expired);
        retries = List.copyOf(retries);
        // In the order of the sequences, so that the copies keep it.
        deadLetters = Collections.unmodifiableMap(new TreeMap<>(deadLetters));
    }
}

package dev.cdioutbox.internal.store;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.cdioutbox.internal.config.RetentionConfig;

/**
 * The outcome of a batch, for the tables.
 *
 * @param brokerIds the broker's ids of published messages, by sequence; empty if ids are not recorded
 * @param shadow the shadow destination that got the messages, or null
 * @param deadLetters the messages to store for a dead-letter destination, by the sequence of the one that was given up
 */
public record Settlement(
        List<Long> published,
        List<Long> expired,
        List<Retry> retries,
        RetentionConfig retention,
        String shadow,
        Map<Long, String> brokerIds,
        Map<Long, NewMessage> deadLetters) {

    public Settlement {
        published = List.copyOf(published);
        expired = List.copyOf(expired);
        retries = List.copyOf(retries);
        brokerIds = Map.copyOf(brokerIds);
        // In the order of the sequences, so that the copies keep it.
        deadLetters = Collections.unmodifiableMap(new TreeMap<>(deadLetters));
    }

    /** Of messages that were sent. */
    public static Settlement published(
            List<Long> sequences, RetentionConfig retention, String shadow, Map<Long, String> brokerIds) {
        return new Settlement(sequences, List.of(), List.of(), retention, shadow, brokerIds, Map.of());
    }

    /** Of messages that were not sent. */
    public static Settlement unsent(
            List<Long> expired, List<Retry> retries, RetentionConfig retention, Map<Long, NewMessage> deadLetters) {
        return new Settlement(List.of(), expired, retries, retention, null, Map.of(), deadLetters);
    }

    /**
     * The changes that operators made to claimed messages before the settlement. A claim does not lock messages.
     *
     * @param discarded messages that an operator had discarded before the send ended; the settlement marks them as
     *     published
     * @param leftUnchanged unsent messages that keep the operator's change
     */
    public record Result(Set<Long> discarded, Set<Long> leftUnchanged) {}
}

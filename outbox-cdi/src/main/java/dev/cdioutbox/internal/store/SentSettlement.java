package dev.cdioutbox.internal.store;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.config.RetentionConfig;

/**
 * The settlement of messages that were sent.
 *
 * @param shadow the shadow destination that got the messages, or null
 * @param brokerIds the broker's ids of the messages, by sequence; empty if ids are not recorded
 */
public record SentSettlement(
        List<Long> sequences, RetentionConfig retention, String shadow, Map<Long, String> brokerIds) {

    public SentSettlement {
        sequences = List.copyOf(sequences);
        brokerIds = Map.copyOf(brokerIds);
    }
}

package dev.cdioutbox.internal.store.settle;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.config.RetentionConfig;

/**
 * The settlement of messages that were sent.
 *
 * @param mark the shadow destination that got the messages, null if there is none. Marked messages are kept in any case: users
 *     compare them with what their old publisher has sent
 * @param brokerIds the broker's ids of the messages, by sequence; empty if ids are not recorded
 */
public record SentSettlement(
        List<Long> sequences, RetentionConfig retention, String mark, Map<Long, String> brokerIds) {

    public SentSettlement {
        sequences = List.copyOf(sequences);
        brokerIds = Map.copyOf(brokerIds);
    }

    /** Whether the messages are removed with the settlement. */
    public boolean removes() {
        return mark == null && retention.leavesWhenPublished();
    }

    /** Whether nothing is kept of the messages, not even for the archive. */
    public boolean leavesNothing() {
        return removes() && !retention.archives();
    }
}

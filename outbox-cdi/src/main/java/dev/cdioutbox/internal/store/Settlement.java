package dev.cdioutbox.internal.store;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.config.RetentionConfig;

/**
 * The outcome of a batch, to be written to the tables.
 *
 * @param brokerIds the broker's ids of published messages, by sequence, as far as they are recorded
 * @param shadow the destination to which messages were sent instead of their own, or null
 */
public record Settlement(
        List<Long> published,
        List<Long> expired,
        List<Retry> retries,
        RetentionConfig retention,
        String shadow,
        Map<Long, String> brokerIds) {

    public Settlement {
        published = List.copyOf(published);
        expired = List.copyOf(expired);
        retries = List.copyOf(retries);
        brokerIds = Map.copyOf(brokerIds);
    }

    /** Sent where they belong. */
    public Settlement(List<Long> published, List<Long> expired, List<Retry> retries, RetentionConfig retention) {
        this(published, expired, retries, retention, null, Map.of());
    }

    /** None came too late, and all are kept for a while. */
    public Settlement(List<Long> published, List<Retry> retries) {
        this(published, List.of(), retries, RetentionConfig.DEFAULT);
    }
}

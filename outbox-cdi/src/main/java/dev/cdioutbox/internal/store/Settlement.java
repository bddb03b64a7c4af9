package dev.cdioutbox.internal.store;

import java.util.List;

import dev.cdioutbox.internal.config.RetentionConfig;

/**
 * What a batch came to: the sequences that were sent, those that came too late, what becomes of the others, and how long
 * those stay that are done.
 *
 * @param shadow where the published ones went instead of their destination, or null
 */
public record Settlement(
        List<Long> published, List<Long> expired, List<Retry> retries, RetentionConfig retention, String shadow) {

    public Settlement {
        published = List.copyOf(published);
        expired = List.copyOf(expired);
        retries = List.copyOf(retries);
    }

    /** Sent where they belong. */
    public Settlement(List<Long> published, List<Long> expired, List<Retry> retries, RetentionConfig retention) {
        this(published, expired, retries, retention, null);
    }

    /** None came too late, and all are kept for a while. */
    public Settlement(List<Long> published, List<Retry> retries) {
        this(published, List.of(), retries, RetentionConfig.DEFAULT);
    }
}

package dev.cdioutbox.internal.store;

import java.util.List;

/** What a batch came to: the sequences that were sent, those that came too late, and what becomes of the others. */
public record Settlement(List<Long> published, List<Long> expired, List<Retry> retries) {

    public Settlement {
        published = List.copyOf(published);
        expired = List.copyOf(expired);
        retries = List.copyOf(retries);
    }

    /** None came too late. */
    public Settlement(List<Long> published, List<Retry> retries) {
        this(published, List.of(), retries);
    }
}

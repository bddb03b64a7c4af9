package dev.cdioutbox.internal.store;

import java.util.List;

/** What a batch came to: the sequences that were sent, and what becomes of those that were not. */
public record Settlement(List<Long> published, List<Retry> retries) {

    public Settlement {
        published = List.copyOf(published);
        retries = List.copyOf(retries);
    }
}

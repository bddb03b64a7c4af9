package dev.cdioutbox.internal.store;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.operate.OutboxBacklog;

/** The state of the backlog, as it is read. Public, as JSON-B needs it for the console. */
public record Backlog(
        int pending,
        int failed,
        int abandoned,
        Instant oldest,
        Set<String> paused,
        Instant readAt,
        Map<String, Instant> oldestOf,
        Integer inDoubt)
        implements OutboxBacklog {

    /** Without the dispatcher's knowledge of messages in doubt. */
    public Backlog(
            int pending,
            int failed,
            int abandoned,
            Instant oldest,
            Set<String> paused,
            Instant readAt,
            Map<String, Instant> oldestOf) {
        this(pending, failed, abandoned, oldest, paused, readAt, oldestOf, null);
    }

    /** Keeps unmodifiable copies. */
    public Backlog {
        paused = Set.copyOf(paused);
        oldestOf = Map.copyOf(oldestOf);
    }

    /** A copy with the number of messages in doubt that the dispatcher of this process knows. */
    public Backlog withInDoubt(int messages) {
        return new Backlog(pending, failed, abandoned, oldest, paused, readAt, oldestOf, messages);
    }
}

package dev.cdioutbox.internal.store.operate;

import java.time.Instant;
import java.util.Set;

import dev.cdioutbox.operate.OutboxBackfill;

/** A destination's last backfill, as it is read. Public, as JSON-B needs it for the console. */
public record BackfillRow(
        String destination,
        String source,
        Set<String> eventTypes,
        Instant from,
        long position,
        Long end,
        int copied,
        int present,
        int skipped,
        Instant startedAt,
        Instant endedAt,
        boolean paused)
        implements OutboxBackfill {

    /** Keeps an unmodifiable copy of the types. */
    public BackfillRow {
        eventTypes = Set.copyOf(eventTypes);
    }

    /** Whether nothing is left to copy. Not "is…": the console would write it as a field. */
    public boolean hasCopiedAll() {
        return end != null && position >= end;
    }
}

package dev.cdioutbox.internal.store;

import java.time.Duration;
import java.time.Instant;

import dev.cdioutbox.operate.OutboxNode;

/**
 * The row of a node, as it is read; {@link ThisNode} is the one that this process writes. Public, as JSON-B needs it for
 * the console.
 */
public record NodeRow(
        String id,
        String module,
        String host,
        String server,
        long process,
        String version,
        Instant startedAt,
        Instant lastSeenAt,
        Duration silentFor,
        int partitions)
        implements OutboxNode {}

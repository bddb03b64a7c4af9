package dev.cdioutbox.internal.store.node;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.operate.OutboxNode;

/** Keeps the rows of dispatching processes. Thread-safe; each method runs in any transaction of the caller. */
public interface NodeStore {

    /** Writes the row of this node, with the number of partitions that it holds. */
    void writeHeartbeat(ThisNode node, int partitions);

    /** The rows of all nodes, the one with the latest heartbeat first. */
    List<OutboxNode> all();

    /** Deletes a node's row; returns whether there was one. */
    boolean delete(String node);

    /** The row of a node, as it is read; {@link ThisNode} is the one that this process writes. */
    record Row(
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
}

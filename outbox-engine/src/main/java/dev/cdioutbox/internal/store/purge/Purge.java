package dev.cdioutbox.internal.store.purge;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.node.JdbcProbeStore;
import dev.cdioutbox.internal.store.node.NodeTable;
import dev.cdioutbox.internal.store.sql.Connections;

/** Removes messages after their retention, and what crashed processes have left. Thread-safe. */
public record Purge(Connections connections, MessagePurge messages, NodeTable nodes, JdbcProbeStore probes) {

    /**
     * Deletes or archives messages of this application after their retention, in one short transaction outside of JTA.
     * Never removes an undelivered message. At the end of the scan, also deletes rows of nodes and probes that crashed
     * processes have left: an idle node needs no further transactions for them.
     *
     * @param after the sequence after which to begin
     */
    public PurgeResult removeNext(RetentionConfig retention, long after) {
        return connections.inLocalTransaction("purging messages", connection -> {
            PurgeResult purged = messages.removeNext(connection, retention, after);
            if (purged.isEnd()) {
                nodes.purge(connection);
                probes.purge(connection);
            }
            connection.commit();
            return purged;
        });
    }
}

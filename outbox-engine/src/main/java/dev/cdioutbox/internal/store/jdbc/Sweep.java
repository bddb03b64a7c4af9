package dev.cdioutbox.internal.store.jdbc;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.SweepResult;
import dev.cdioutbox.internal.store.settle.JdbcProbeStore;
import dev.cdioutbox.internal.store.settle.RetentionSweeper;
import dev.cdioutbox.internal.store.sql.Connections;

/** Removes messages after their retention, and what crashed processes have left. Thread-safe. */
public record Sweep(Connections connections, RetentionSweeper messages, NodeTable nodes, JdbcProbeStore probes) {

    /**
     * Deletes or archives messages of this application after their retention, in one short transaction outside of JTA.
     * Never removes an undelivered message. At the end of the scan, also deletes rows of nodes and probes that crashed
     * processes have left: an idle node needs no further transactions for them.
     *
     * @param after the sequence after which to begin
     */
    public SweepResult sweep(RetentionConfig retention, long after) {
        return connections.inLocalTransaction("sweeping messages", connection -> {
            SweepResult swept = messages.sweepBatch(connection, retention, after);
            if (swept.isEnd()) {
                nodes.sweep(connection);
                probes.sweep(connection);
            }
            connection.commit();
            return swept;
        });
    }
}

package dev.cdioutbox.internal.store.jdbc;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.SweepResult;
import dev.cdioutbox.internal.store.SweepStore;
import dev.cdioutbox.internal.store.settle.ProbeRow;
import dev.cdioutbox.internal.store.settle.RetentionSweeper;
import dev.cdioutbox.internal.store.sql.Connections;

/** Sweeps messages, and what crashed processes have left, in one transaction: an idle node needs no further ones. */
record Sweep(Connections connections, RetentionSweeper messages, NodeTable nodes, ProbeRow probes)
        implements SweepStore {

    @Override
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

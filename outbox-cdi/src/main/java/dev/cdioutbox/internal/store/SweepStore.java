package dev.cdioutbox.internal.store;

import dev.cdioutbox.internal.config.RetentionConfig;

/** Removes messages after their retention. Thread-safe. */
public interface SweepStore {

    /**
     * Deletes or archives messages of this application after their retention, in one short transaction outside of JTA.
     * Never removes an undelivered message. At the end of the scan, also deletes rows of nodes and probes that crashed
     * processes have left.
     *
     * @param after the sequence after which to begin
     */
    SweepResult sweep(RetentionConfig retention, long after);
}

package dev.cdioutbox.internal.capture;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;

/** One of the application's outboxes: its configuration, its tables and its capture. */
public record OpenOutbox(String name, CurrentConfig config, Tables tables, Capture capture) {

    /** With a store that is open. */
    public OpenOutbox(String name, CurrentConfig config, JdbcOutboxStore store, Capture capture) {
        this(name, config, new Tables(name, () -> store, Runnable::run, System::nanoTime), capture);
    }

    /**
     * The store.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0224 while the tables are not there
     */
    public JdbcOutboxStore store() {
        return tables.store();
    }

    /** Whether the tables have been there, at the deployment or since. */
    public boolean isStoreOpen() {
        return tables.areOpen();
    }

    /**
     * Checks the tables, and opens them if they were not there before. Do not call this in a transaction.
     *
     * @return the reason why no event can be stored, or null
     */
    public String problem() {
        String problem = tables.problem();
        try {
            return problem == null ? store().problem() : problem;
        } catch (RuntimeException e) {
            return FailureReason.of(e);
        }
    }

    /** Whether this is the default outbox. */
    public boolean isDefault() {
        return name.equals(OutboxConfig.DEFAULT_OUTBOX);
    }

    /** The name of a destination that is unique among all outboxes, for metrics, logs and workers. */
    public String label(String destination) {
        return config.current().label(destination);
    }
}

package dev.cdioutbox.internal.capture;

import dev.cdioutbox.internal.config.ConfigKeys;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;

/** One of the application's outboxes: its configuration, its tables and its capture. */
public record OpenOutbox(String name, CurrentConfig config, JdbcOutboxStore store, Capture capture) {

    /** Whether this is the default outbox. */
    public boolean isDefault() {
        return name.equals(ConfigKeys.DEFAULT_OUTBOX);
    }

    /** The name of a destination that is unique among all outboxes, for metrics, logs and workers. */
    public String label(String destination) {
        return config.current().label(destination);
    }
}

package dev.cdioutbox.internal.capture;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxKeys;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;

/** One of the application's outboxes: its configuration, its tables and what writes into them. */
public record OpenOutbox(String name, CurrentConfig config, JdbcOutboxStore store, Capture capture) {

    /** Whether it is the one that needs no name. */
    public boolean isDefault() {
        return name.equals(OutboxKeys.DEFAULT_OUTBOX);
    }

    /** What a destination is called where those of several outboxes meet: in metrics, logs and workers. */
    public String label(String destination) {
        return config.current().label(destination);
    }
}

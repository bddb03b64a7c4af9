package dev.cdioutbox.internal.outbox;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.spi.DestinationId;

/**
 * One of the application's outboxes.
 *
 * @param captured who is told of captured messages
 */
public record OutboxInstance(String name, CurrentConfig config, LazyStore lazyStore, CaptureListeners captured) {

    public OutboxInstance(String name, CurrentConfig config, LazyStore lazyStore) {
        this(name, config, lazyStore, new CaptureListeners());
    }

    /** For tests: with a store that can be opened at once. */
    public OutboxInstance(String name, CurrentConfig config, JdbcOutboxStore store) {
        this(name, config, new LazyStore(name, () -> store, Runnable::run, System::nanoTime));
    }

    /**
     * The store.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0224 while the tables are not there
     */
    public JdbcOutboxStore store() {
        return lazyStore.get();
    }

    /** Whether the tables have been there, at the deployment or since. */
    public boolean isStoreOpen() {
        return lazyStore.isOpen();
    }

    /**
     * Checks the tables, and opens them if they were not there before. Do not call this in a transaction.
     *
     * @return the reason why no event can be stored, or null
     */
    public String problem() {
        String problem = lazyStore.problem();
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

    /** The id of a destination of this outbox, by its name. */
    public DestinationId destinationId(String destination) {
        return config.current().destinationId(destination);
    }
}

package dev.cdioutbox.internal.config;

import java.util.Locale;

/**
 * Which tables, in which database; fixed while the application runs.
 *
 * @param dispatchingDataSource the JNDI name of what dispatcher and sweep use instead, so that business threads need not wait
 *     for their connections; null if it is the same
 */
public record StoreConfig(
        String dataSource,
        SchemaMode schema,
        String tablePrefix,
        String application,
        int partitions,
        Ordering ordering,
        String dispatchingDataSource) {

    /** What two outboxes may not share: they would dispatch each other's messages. */
    Tables tables() {
        return new Tables(dataSource, tablePrefix.toLowerCase(Locale.ROOT), application);
    }

    record Tables(String dataSource, String prefix, String application) {}

    public enum SchemaMode {
        CREATE,
        VALIDATE,
        NONE
    }

    /** What makes the order of a key's rows the order of its commits. */
    public enum Ordering {
        /** The lock of the business row, which is held when the messages are written. */
        ROW_LOCK,
        /** A lock on the key, taken before they are written. */
        STRICT
    }
}

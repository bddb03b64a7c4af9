package dev.cdioutbox.internal.config;

import java.util.Map;
import java.util.Set;

import dev.cdioutbox.internal.transport.TopicLimits;

/**
 * The settings of the tables and their database: DataSources, prefix, schema mode, partitions, ordering. Fixed while
 * the application runs.
 *
 * @param dispatchingDataSource the JNDI name of the DataSource for dispatcher and purge, so that business threads do
 *     not wait for their connections; null if they use {@code dataSource}
 * @param cdc what change data capture reads
 */
public record StoreConfig(
        String dataSource,
        SchemaMode schema,
        String tablePrefix,
        String application,
        int partitions,
        Ordering ordering,
        String dispatchingDataSource,
        Cdc cdc) {

    public StoreConfig withTablePrefix(String prefix) {
        return new StoreConfig(
                dataSource, schema, prefix, application, partitions, ordering, dispatchingDataSource, cdc);
    }

    /**
     * Change data capture.
     *
     * @param topics the destinations whose messages it sends, with what the connector takes
     * @param slot the name of its replication slot, and of its publication
     */
    public record Cdc(Map<String, TopicLimits> topics, String slot) {
        public static final Cdc NONE = new Cdc(Map.of(), null);

        public Set<String> destinations() {
            return topics.keySet();
        }
    }

    public enum SchemaMode {
        CREATE,
        VALIDATE,
        NONE
    }

    /** The lock that makes the order of a key's rows the order of its commits. */
    public enum Ordering {
        /** The lock of the business row, which the transaction holds when the outbox writes the messages. */
        ROW_LOCK,
        /** A lock on the key, which the outbox takes before it writes the messages. */
        STRICT
    }
}

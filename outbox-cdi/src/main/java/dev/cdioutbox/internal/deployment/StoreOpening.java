package dev.cdioutbox.internal.deployment;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.logging.Logger;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.ConfigKey;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;

/**
 * Opens the store of one outbox, and checks its DataSources. If a check fails, the opening may be repeated. Not thread-safe: its
 * only caller holds a lock.
 */
final class StoreOpening implements Supplier<JdbcOutboxStore> {
    private static final Logger LOG = Logger.getLogger(StoreOpening.class.getName());

    private final OutboxConfig config;
    private final TransactionCheck transactions;
    private final Named capturing;
    private final Optional<Named> dispatching;
    private JdbcOutboxStore opened;

    /**
     * A DataSource that was looked up.
     *
     * @param key the configuration key that has its name
     */
    private record Named(DataSource dataSource, String jndi, String key) {
        static Named lookUp(String jndi, ConfigKey<?> key) {
            return new Named(PlatformServices.lookUp(DataSource.class, jndi, key.toString()), jndi, key.toString());
        }
    }

    /** Looks the DataSources up now, since a later thread may see no JNDI names. */
    StoreOpening(OutboxConfig config, TransactionCheck transactions) {
        this.config = config;
        this.transactions = transactions;
        capturing = Named.lookUp(config.store().dataSource(), ConfigKey.DATA_SOURCE);
        dispatching = Optional.ofNullable(config.store().dispatchingDataSource())
                .map(jndi -> Named.lookUp(jndi, ConfigKey.DISPATCHER_DATA_SOURCE));
    }

    @Override
    public JdbcOutboxStore get() {
        JdbcOutboxStore capture = openOnce();
        requireUsable(capture, capturing);
        JdbcOutboxStore store =
                dispatching.map(other -> dispatchingOn(other, capture)).orElse(capture);
        store.cdc().require();
        store.setup()
                .findingsOfSettings(config.capture().maxPayloadBytes())
                .forEach(finding -> LOG.warning(finding.toString()));
        return store;
    }

    /** Because it logs warnings. */
    private JdbcOutboxStore openOnce() {
        if (opened == null) {
            opened = JdbcOutboxStore.open(
                    capturing.dataSource, config.store(), config.destinations().keySet());
        }
        return opened;
    }

    private JdbcOutboxStore dispatchingOn(Named other, JdbcOutboxStore capture) {
        JdbcOutboxStore store = capture.dispatchingOn(other.dataSource, other.jndi);
        DataSourceCheck.requireSameTables(capture.nodes(), store.nodes(), other.jndi);
        requireUsable(store, other);
        return store;
    }

    private void requireUsable(JdbcOutboxStore store, Named source) {
        transactions.require(store.nodes(), source.key, source.jndi);
        DataSourceCheck.requireTexts(store.texts(), source.key, source.jndi);
    }
}

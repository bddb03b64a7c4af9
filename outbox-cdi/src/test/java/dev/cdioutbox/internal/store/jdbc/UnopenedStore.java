package dev.cdioutbox.internal.store.jdbc;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.PartitionSetup;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** A store without a database, for tests that look at its statements. */
public final class UnopenedStore {
    private UnopenedStore() {}

    public static JdbcOutboxStore of(StoreConfig config, Dialect dialect) {
        ReadWatermark watermark =
                ReadWatermark.of(config.application(), config.tablePrefix(), dialect, System::nanoTime);
        JdbcOutboxStore.Opened opened = new JdbcOutboxStore.Opened(
                null, null, config, dialect, ColumnText.UNICODE, new PartitionSetup(config, dialect), watermark);
        return JdbcOutboxStore.of(opened, null);
    }
}

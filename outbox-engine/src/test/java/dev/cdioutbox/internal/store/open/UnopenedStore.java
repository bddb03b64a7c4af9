package dev.cdioutbox.internal.store.open;

import java.util.Map;
import java.util.Set;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.schema.PartitionSetup;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** A store without a database, for tests that look at its statements. */
public final class UnopenedStore {
    private UnopenedStore() {}

    public static JdbcOutboxStore of(StoreConfig config, Dialect dialect) {
        ReadWatermark watermark =
                ReadWatermark.of(config.application(), new Sql(config.tablePrefix(), dialect), System::nanoTime);
        OpenedTables opened = new OpenedTables(
                null,
                null,
                config,
                dialect,
                ColumnText.UNICODE,
                Set.of(),
                new PartitionSetup(config, dialect, Set.of()),
                new PartitionIds(config.application(), config.partitions(), Map.of()),
                watermark);
        return JdbcOutboxStore.of(opened, null);
    }
}

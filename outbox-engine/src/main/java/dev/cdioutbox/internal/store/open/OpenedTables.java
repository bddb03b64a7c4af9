package dev.cdioutbox.internal.store.open;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.dialect.DatabaseSettings;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.operate.ControlTable;
import dev.cdioutbox.internal.store.schema.PartitionSetup;
import dev.cdioutbox.internal.store.schema.SchemaSetup;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Tables that exist and have the rows of this application, with what their opening has found out.
 *
 * @param dataSource the application's
 * @param product the database's own name and version
 * @param config with the schema's name in the prefix of the tables
 * @param texts which texts the database takes
 */
record OpenedTables(
        DataSource dataSource,
        String product,
        StoreConfig config,
        Dialect dialect,
        ColumnText texts,
        Set<String> destinations,
        PartitionSetup partitions,
        PartitionIds ids,
        ReadWatermark watermark) {

    /**
     * Creates or checks the tables, as the configuration says, and inserts the rows that are missing.
     *
     * @param connection of the DataSource, and in no transaction
     */
    static OpenedTables open(
            Connection connection,
            DataSource dataSource,
            StoreConfig config,
            Set<String> destinations,
            LongSupplier nanos)
            throws SQLException {
        Dialect dialect = SupportedDatabases.of(connection);
        SchemaSetup setup = new SchemaSetup(config, dialect);
        setup.prepare(connection);
        StoreConfig qualified = config.withTablePrefix(setup.qualifiedPrefix(connection));
        Sql sql = new Sql(qualified.tablePrefix(), dialect);
        PartitionSetup partitions = new PartitionSetup(qualified, dialect, destinations);
        PartitionIds ids = partitions.prepare(connection);
        new ControlTable(config.application(), sql).prepare(connection, destinations);
        return new OpenedTables(
                dataSource,
                SupportedDatabases.product(connection.getMetaData()),
                qualified,
                dialect,
                DatabaseSettings.of(connection, dialect).texts(),
                destinations,
                partitions,
                ids,
                ReadWatermark.of(config.application(), sql, nanos));
    }

    Sql sql() {
        return new Sql(config.tablePrefix(), dialect, texts);
    }
}

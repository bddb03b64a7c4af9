package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.Set;

import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/**
 * Guards that the check of the tables finds a database that refuses changes, such as the standby to which a DataSource
 * leads after a failover. MariaDB and MySQL are read-only as whole servers, which other tests use.
 */
@EachDatabase({Database.H2, Database.POSTGRESQL})
class ReadOnlyDatabaseTest extends StoreContract {
    private boolean readOnly;

    ReadOnlyDatabaseTest(Database kind) {
        super(kind);
    }

    @Test
    void databaseThatRefusesChangesIsAProblem() {
        WatchedSource standby = new WatchedSource(
                database.dataSource(),
                Connection.TRANSACTION_READ_COMMITTED,
                () -> readOnly && database.kind() == Database.POSTGRESQL
                        ? "SET default_transaction_read_only = on"
                        : null);
        JdbcOutboxStore failedOver = JdbcOutboxStore.open(
                standby.dataSource(), TestDatabase.config(SchemaMode.CREATE, "shop", 4), Set.of(DESTINATION));
        assertThat(failedOver.problem()).isNull();

        readOnly = true;
        if (database.kind() == Database.H2) {
            database.update("SHUTDOWN");
            JdbcDataSource file = (JdbcDataSource) database.dataSource();
            file.setURL(file.getURL() + ";ACCESS_MODE_DATA=r");
        }

        assertThat(failedOver.problem()).startsWith("OBX-0325");
    }
}

package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/** Guards that rights which the database's user lacks are found, and only those that the configuration needs. */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@EachDatabase(Database.POSTGRESQL)
class RightsTest {
    @AutoClose
    private final TestDatabase database;

    RightsTest(Database kind) {
        database = new TestDatabase(kind);
    }

    @Test
    void missingRightsAreFound() {
        database.open(1);
        database.update("CREATE ROLE shop_weak");
        try {
            database.update("GRANT ALL ON ALL TABLES IN SCHEMA public TO shop_weak");
            database.update("REVOKE DELETE ON shop_queue FROM shop_weak");
            database.update("REVOKE INSERT, UPDATE ON shop_archive FROM shop_weak");
            JdbcOutboxStore store = JdbcOutboxStore.open(
                    weak(), TestDatabase.config(SchemaMode.VALIDATE, "shop", 1), Set.of(TestMessages.DESTINATION));

            assertThat(findings(store, false))
                    .singleElement()
                    .asString()
                    .startsWith("OBX-0331: the database user ")
                    .contains(
                            " run: GRANT DELETE ON \"public\".shop_queue TO ", " (ERROR: permission denied for table");
            assertThat(findings(store, true))
                    .singleElement()
                    .asString()
                    .contains("; GRANT INSERT ON \"public\".shop_archive TO ");
        } finally {
            database.update("DROP OWNED BY shop_weak");
            database.update("DROP ROLE shop_weak");
        }
    }

    private static List<Finding> findings(JdbcOutboxStore store, boolean archives) {
        RetentionConfig usual = RetentionConfig.DEFAULT;
        return store.setup().findings(new RetentionConfig(usual.published(), usual.abandoned(), archives, false));
    }

    private DataSource weak() {
        return new WatchedSource(
                        database.dataSource(), Connection.TRANSACTION_READ_COMMITTED, () -> "SET ROLE shop_weak")
                .dataSource();
    }
}

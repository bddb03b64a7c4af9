package dev.cdioutbox.internal.capture.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards that two outboxes with the same tables fail the start. */
@Tag("database")
class DistinctTablesCheckTest {
    private final TestDatabase database = new TestDatabase();
    private final TestDatabase elsewhere = new TestDatabase();
    private final DistinctTablesCheck check = new DistinctTablesCheck();

    @AfterEach
    void close() {
        database.close();
        elsewhere.close();
    }

    @Test
    void twoDataSourcesThatLeadToTheSameTablesAreRefused() {
        add("default", database, "shop_", "shop");

        assertThatThrownBy(() -> add("billing", database, "shop_", "shop"))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0201")
                .hasMessageContaining("the outboxes 'default' and 'billing' have the same tables");
        assertThat(database.query("SELECT node_id FROM shop_node")).isEmpty();
    }

    @Test
    void soIsAPrefixThatNamesTheSchemaWhichIsMeantAnyway() {
        add("default", database, "shop_", "shop");

        assertThatThrownBy(() -> add("billing", database, "public.shop_", "shop"))
                .hasMessageStartingWith("OBX-0201");
    }

    @Test
    void anotherDatabaseOrPrefixOrApplicationIsWell() {
        add("default", database, "shop_", "shop");
        add("billing", elsewhere, "shop_", "shop");
        add("returns", database, "returns_", "shop");
        add("stock", database, "shop_", "stock");

        assertThat(database.query("SELECT node_id FROM shop_node")).isEmpty();
        assertThat(elsewhere.query("SELECT node_id FROM shop_node")).isEmpty();
    }

    private void add(String name, TestDatabase where, String prefix, String application) {
        StoreConfig config =
                new StoreConfig("jdbc/" + name, SchemaMode.CREATE, prefix, application, 1, Ordering.ROW_LOCK, null);
        check.add(name, config, JdbcOutboxStore.open(where.dataSource(), config, Set.of("default")));
    }
}

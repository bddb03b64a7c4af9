package dev.cdioutbox.internal.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards that two outboxes with the same tables fail the start. */
@Tag("database")
class DistinctTablesTest {
    private final TestDatabase database = new TestDatabase();
    private final TestDatabase elsewhere = new TestDatabase();
    private final List<OutboxInstance> outboxes = new ArrayList<>();

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

    @Test
    void sameSettingsAreRefusedAlsoWhereTheTablesAreNotChecked() {
        outboxes.add(outbox("default", database, "outbox.table-prefix", "shop_"));
        outboxes.add(outbox("billing", database, "outbox.schema", "none", "outbox.table-prefix", "SHOP_"));

        assertThatThrownBy(() -> DistinctTables.require(outboxes)).hasMessageStartingWith("OBX-0201");
    }

    @Test
    void tablesThatTheOutboxDoesNotCheckAreLeftAlone() {
        add("default", database, "shop_", "shop");
        String[] unchecked = {
            "outbox.schema",
            "none",
            "outbox.table-prefix",
            "shop_",
            "outbox.application",
            "shop",
            "outbox.datasource",
            "jdbc/other"
        };
        outboxes.add(outbox("billing", database, unchecked));

        assertThatCode(() -> DistinctTables.require(outboxes)).doesNotThrowAnyException();
    }

    private void add(String name, TestDatabase where, String prefix, String application) {
        String dataSource = "jdbc/" + name;
        outboxes.add(outbox(
                name,
                where,
                "outbox.datasource",
                dataSource,
                "outbox.table-prefix",
                prefix,
                "outbox.application",
                application));
        DistinctTables.require(outboxes);
    }

    private static OutboxInstance outbox(String name, TestDatabase where, String... keysAndValues) {
        OutboxConfig config = TestConfig.of(keysAndValues);
        JdbcOutboxStore store = JdbcOutboxStore.open(where.dataSource(), config.store(), Set.of("default"));
        return new OutboxInstance(name, new CurrentConfig(config), store);
    }
}

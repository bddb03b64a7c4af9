package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.Set;
import javax.sql.DataSource;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/** Guards the warning about row-level security, which may hide messages from the dispatcher without an error. */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@EachDatabase(Database.POSTGRESQL)
class HiddenRowsTest {
    @AutoClose
    private final TestDatabase database;

    @AutoClose
    private final LogLines logged = new LogLines("dev.cdioutbox.internal.store");

    HiddenRowsTest(Database kind) {
        database = new TestDatabase(kind);
    }

    @BeforeEach
    void createRoles() {
        database.open(1);
        for (String role : new String[] {"shop_hidden NOBYPASSRLS", "shop_seeing BYPASSRLS"}) {
            String name = role.substring(0, role.indexOf(' '));
            database.update("CREATE ROLE " + role);
            database.update("GRANT ALL ON ALL TABLES IN SCHEMA public TO " + name);
        }
        logged.all().clear();
    }

    @AfterEach
    void dropRoles() {
        for (String role : new String[] {"shop_hidden", "shop_seeing"}) {
            database.update("DROP OWNED BY " + role);
            database.update("DROP ROLE " + role);
        }
    }

    @Test
    void policiesThatHoldForTheDispatcherAreWarnedOf() {
        open(as("shop_hidden"));
        assertThat(logged.all()).isEmpty();
        database.update("ALTER TABLE shop_message ENABLE ROW LEVEL SECURITY");

        open(database.dataSource());
        open(as("shop_seeing"));
        JdbcOutboxStore store = open(database.dataSource());
        store.dispatchingOn(as("shop_seeing"), "jdbc/shop");
        assertThat(logged.all()).isEmpty();

        open(as("shop_hidden"));
        assertThat(logged.all())
                .singleElement()
                .asString()
                .startsWith("OBX-0324: row-level security may hide rows of shop_message ");
        store.dispatchingOn(as("shop_hidden"), "jdbc/shop");
        assertThat(logged.all()).hasSize(2);
    }

    private DataSource as(String role) {
        return new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED, () -> "SET ROLE " + role)
                .dataSource();
    }

    private static JdbcOutboxStore open(DataSource source) {
        return JdbcOutboxStore.open(
                source, TestDatabase.config(SchemaMode.VALIDATE, "shop", 1), Set.of(TestMessages.DESTINATION));
    }
}

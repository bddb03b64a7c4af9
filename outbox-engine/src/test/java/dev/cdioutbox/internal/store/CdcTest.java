package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.cdc.CdcSetup;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/** What change data capture sends is stored without a queue, and purged by its age. */
@ParameterizedClass
@EachDatabase(Database.POSTGRESQL)
class CdcTest {
    private static final String AUDIT = "audit";

    @AutoClose
    private final TestDatabase database;

    private final JdbcOutboxStore store;

    CdcTest(Database kind) {
        database = new TestDatabase(kind);
        store = database.openWithCdc();
    }

    @Test
    void messageIsMarkedSettledAndNeverClaimed() {
        store.capture()
                .write(List.of(
                        message("OrderPlaced", "1", "to the log", AUDIT),
                        message("1", "to the queue"),
                        message("OrderPlaced", "1", "again", AUDIT)));

        assertThat(database.query("SELECT payload FROM shop_message WHERE transport = 'cdc' ORDER BY seq"))
                .containsExactly("to the log", "again");
        assertThat(database.query("SELECT payload FROM shop_message WHERE transport IS NULL"))
                .containsExactly("to the queue");
        assertThat(database.query("SELECT payload FROM shop_message_view WHERE status = 'PUBLISHED' ORDER BY seq"))
                .containsExactly("to the log", "again");
        try (Claim claim = TestMessages.claim(
                store, store.claims().rowLocks(AUDIT), 0, limits(4, 10, 1000), store.pendingRows()::lockable)) {
            assertThat(claim.messages()).isEmpty();
        }
        assertThat(database.query("SELECT COUNT(*) FROM shop_queue")).containsExactly("1");
    }

    @Test
    void messageIsPurgedByItsAge() throws SQLException {
        store.capture().write(List.of(message("OrderPlaced", "1", "old", AUDIT)));
        database.update("UPDATE shop_message SET created_at = created_at - INTERVAL '4 days'");
        database.update("UPDATE shop_delivery SET settled_at = settled_at - INTERVAL '4 days'");
        store.capture().write(List.of(message("OrderPlaced", "1", "young", AUDIT)));

        RetentionConfig retention = new RetentionConfig(Duration.ofDays(3), Duration.ofDays(3), false, false);
        store.purge().removeNext(retention, 0);

        assertThat(database.query("SELECT payload FROM shop_message")).containsExactly("young");
        assertThat(database.query("SELECT COUNT(*) FROM shop_delivery")).containsExactly("1");
    }

    /** In the queue it would wait for ever. */
    @Test
    void replayAndPauseAreRefused() {
        store.capture().write(List.of(message("OrderPlaced", "1", "text", AUDIT)));

        OutboxFilter audit = OutboxFilter.all().withDestination(AUDIT);
        assertThatThrownBy(() -> change(store, MessageOperation.REPLAY, audit))
                .hasMessageContaining("OBX-0609")
                .hasMessageContaining("nothing can replay it");
        assertThatThrownBy(() -> store.operations().pause(AUDIT, true, "me")).hasMessageContaining("OBX-0609");
        assertThatThrownBy(() -> store.operations().pause(OutboxOperations.ALL, true, "me"))
                .hasMessageContaining("OBX-0609");
        assertThat(store.operations().pause(DESTINATION, true, "me")).isTrue();
        assertThat(database.query("SELECT COUNT(*) FROM shop_queue")).containsExactly("0");
    }

    /** An abandoned message of the time before would wait for ever, too. */
    @Test
    void retryOfWhatTheDispatcherLeftIsRefused() {
        JdbcOutboxStore before = database.open(SchemaMode.VALIDATE, "shop", 4);
        before.capture().write(List.of(message("OrderPlaced", null, "text", AUDIT)));
        database.update("UPDATE shop_queue SET status = 2, queue_id = -queue_id");

        assertThatThrownBy(() -> change(store, MessageOperation.RETRY, OutboxFilter.all()))
                .hasMessageContaining("nothing can retry it");
    }

    /** The build's databases do not write a log that can be read. */
    @Test
    void missingSetupIsRefusedAtStart() {
        assertThatThrownBy(() -> store.cdc().require())
                .hasMessageContaining("OBX-0333")
                .hasMessageContaining("[audit]")
                .hasMessageContaining("wal_level is replica");
    }

    /** The owner of the tables need not be a superuser. */
    @Test
    void stateIsReadWithoutFurtherRights() throws SQLException {
        database.update("CREATE PUBLICATION shop_cdc FOR TABLE shop_message");
        database.update("CREATE ROLE shop_owner");
        try (Connection connection = database.dataSource().getConnection()) {
            Database.execute(connection, "SET ROLE shop_owner");
            String state = new Sql("public.shop_", database.kind().dialect()).of(CdcSetup.STATE);
            String columns =
                    JdbcStatement.of(connection, state).set("slot", "shop_cdc").first(row -> row.getString("columns"));
            assertThat(columns).contains("message_id");
            Database.execute(connection, "RESET ROLE");
        } finally {
            database.update("DROP PUBLICATION shop_cdc");
            database.update("DROP ROLE shop_owner");
        }
    }
}

package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Guards that a text of foreign origin beside a change of state, such as an error with typographic quotation marks, does not
 * fail the change in a database with an encoding that lacks some letters.
 */
@EachDatabase(Database.POSTGRESQL)
class NarrowEncodingTest extends StoreContract {
    private final PGSimpleDataSource narrow = new PGSimpleDataSource();
    private JdbcOutboxStore store;

    NarrowEncodingTest(Database kind) {
        super(kind);
    }

    @BeforeEach
    void createDatabase() {
        PGSimpleDataSource usual = (PGSimpleDataSource) database.dataSource();
        database.update("CREATE DATABASE narrow ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        narrow.setURL(usual.getURL());
        narrow.setDatabaseName("narrow");
        narrow.setUser(usual.getUser());
        store = JdbcOutboxStore.open(
                narrow, TestDatabase.config(SchemaMode.CREATE, "shop", 1), Set.of(TestMessages.DESTINATION));
    }

    @AfterEach
    void dropDatabase() {
        database.update("DROP DATABASE narrow WITH (FORCE)");
    }

    @Test
    void encodingIsFoundAndNoDamage() {
        assertThat(store.setup().findingsOfSettings(1))
                .extracting(finding -> finding.toString().substring(0, 69))
                .contains("OBX-0340: the DataSource jdbc/shop leads to a database with the encod");
        assertThat(store.texts().damage())
                .as("the database refuses letters instead")
                .isNull();
    }

    @Test
    void foreignTextsFailNoChange() throws SQLException {
        store.capture().write(keyed("a", "b"));
        long failed = sequence("a");
        long sent = sequence("b");

        store.settlements()
                .settleUnsent(unsent(List.of(
                        new Retry(failed, OutboxStatus.FAILED, 1, Duration.ofHours(1), "no “queue”\u0000 😀", false))));
        store.settlements()
                .settleSent(
                        new SentSettlement(List.of(sent), RetentionConfig.DEFAULT, null, Map.of(sent, "ID:\u0000€")));
        store.operations().audit().insert("Łucja\u0000", null, "retry", "{\"key\":\"€\"}", 1, List.of());
        store.operations().pause(TestMessages.DESTINATION, true, "Łucja\u0000");
        store.nodes().writeHeartbeat(new ThisNode("n", "läden", "wirt-ł", "server-€", 1, "1.0"), 0);

        assertThat(row("SELECT last_error FROM shop_queue")).isEqualTo("no ?queue?  ?");
        assertThat(row("SELECT broker_message_id FROM shop_delivery")).isEqualTo("ID: ?");
        assertThat(row("SELECT done_by || subject FROM shop_audit")).isEqualTo("?ucja {\"key\":\"?\"}");
        assertThat(row("SELECT changed_by FROM shop_control WHERE paused = 1")).isEqualTo("?ucja ");
        assertThat(row("SELECT module_name || host || server FROM shop_node")).isEqualTo("l?denwirt-?server-?");
    }

    @Test
    void eventsKeepTheLettersThatTheDatabaseHas() throws SQLException {
        store.capture().write(List.of(message("é", "Ärger")));
        assertThat(row("SELECT payload FROM shop_message")).isEqualTo("Ärger");

        assertThatThrownBy(() -> store.capture().write(keyed("€")))
                .isInstanceOf(EventRefusedException.class)
                .hasMessageStartingWith(
                        "OBX-0344: 1 event(s) ([OrderPlaced]) have a text that the database does not store")
                .hasMessageContaining("has no equivalent in encoding \"LATIN1\"");
    }

    private long sequence(String text) throws SQLException {
        return Long.parseLong(row("SELECT seq FROM shop_message WHERE payload = '" + text + "'"));
    }

    private String row(String query) throws SQLException {
        try (Connection connection = narrow.getConnection();
                var select = connection.createStatement();
                var rows = select.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        }
    }
}

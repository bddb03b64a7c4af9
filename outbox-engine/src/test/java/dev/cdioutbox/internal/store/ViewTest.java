package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Guards the view that applications may query, also if a persistence unit created a table of that name first. */
class ViewTest extends StoreContract {

    ViewTest(Database kind) {
        super(kind);
    }

    @Test
    void viewShowsEveryMessage() {
        database.open(1).capture().write(keyed("a", "b"));

        assertThat(database.query("SELECT payload FROM shop_message_view ORDER BY seq"))
                .containsExactly("a", "b");
        assertThat(database.query("SELECT status FROM shop_message_view WHERE message_key = ?", "b"))
                .containsExactly("PENDING");
    }

    @Test
    void viewIsReadOnly() {
        database.open(1).capture().write(keyed("a"));

        for (String statement : List.of(
                "UPDATE shop_message_view SET status = 'PUBLISHED'",
                "UPDATE shop_message_view SET attempts = 7 WHERE seq = 1",
                "DELETE FROM shop_message_view",
                "INSERT INTO shop_message_view (seq, message_id, status) VALUES (99, 'x', 'PENDING')")) {
            assertThatThrownBy(() -> database.update(statement))
                    .as(statement)
                    .isInstanceOf(IllegalStateException.class);

            assertThat(database.query("SELECT CONCAT(status, attempts) FROM shop_message_view"))
                    .containsExactly("PENDING0");
        }
    }

    @Test
    void emptyTableOfASchemaGenerationIsReplaced() {
        generate();

        JdbcOutboxStore store = database.open(1);

        store.capture().write(keyed("a"));
        assertThat(database.query("SELECT payload FROM shop_message_view")).containsExactly("a");
    }

    @Test
    void tableThatCameLaterIsReplacedAtTheNextStart() {
        database.open(1).capture().write(keyed("a"));
        database.update("DROP VIEW shop_message_view");
        generate();

        database.open(1);

        assertThat(database.query("SELECT payload FROM shop_message_view")).containsExactly("a");
    }

    @Test
    void tableWithRowsIsRefused() {
        generate();
        database.update("INSERT INTO shop_message_view (seq) VALUES (1)");

        assertThatThrownBy(() -> database.open(1))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0308")
                .hasMessageContaining("shop_message_view is a table with rows in it");
        assertThat(database.query("SELECT seq FROM shop_message_view")).containsExactly("1");
    }

    @Test
    void validatingSaysThatItIsATable() {
        database.open(1);
        database.update("DROP VIEW shop_message_view");
        generate();

        assertThatThrownBy(() -> database.open(SchemaMode.VALIDATE, "shop", 1))
                .hasMessageStartingWith("OBX-0308")
                .hasMessageContaining("shop_message_view is a table, made by a persistence unit");
    }

    @ParameterizedTest
    @EnumSource(
            value = SchemaMode.class,
            names = {"CREATE", "VALIDATE"})
    void tableOfTheSameNameElsewhereIsNoneOfOurs(SchemaMode mode) {
        database.open(1);
        String other = database.otherSchema();
        database.update("CREATE TABLE " + other + ".shop_message_view (seq BIGINT)");

        assertThatCode(() -> database.open(mode, "shop", 1)).doesNotThrowAnyException();
    }

    private void generate() {
        database.update("CREATE TABLE shop_message_view (seq BIGINT NOT NULL PRIMARY KEY, status VARCHAR(255))");
    }
}

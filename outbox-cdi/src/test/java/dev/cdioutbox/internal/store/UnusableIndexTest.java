package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards that an invalid index counts as missing. A CREATE INDEX CONCURRENTLY that failed leaves one under its name,
 * and no claim can use it.
 */
@Tag("database")
class UnusableIndexTest {
    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.POSTGRESQL);

    @Test
    void indexThatWasNotCompletedCountsAsMissing() {
        database.open(4);
        database.update("UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'shop_message_queue'::regclass");

        assertThatThrownBy(() -> database.open(SchemaMode.VALIDATE, "shop", 4))
                .hasMessageStartingWith(
                        "OBX-0308: the tables of shop_message cannot be used: index shop_message_queue on shop_message is missing");
    }
}

package dev.cdioutbox.internal.store.dialect;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.UUID;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.EveryStatement;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that the outbox works with the settings of H2 that imitate another database, or says that it does not. */
@Tag("database")
class H2SettingsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "DATABASE_TO_LOWER=TRUE",
                "MODE=PostgreSQL",
                "MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH",
                "DATABASE_TO_UPPER=FALSE",
                "CASE_INSENSITIVE_IDENTIFIERS=TRUE",
                "MODE=MariaDB;DATABASE_TO_LOWER=TRUE",
                "MODE=DB2"
            })
    void eachStatementWorks(String settings) {
        EveryStatement.run(open(settings));
        open(settings);
    }

    @Test
    void oracleModeIsRefusedSinceAnEmptyKeyWouldVanish() {
        assertThatThrownBy(() -> open("MODE=Oracle"))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith(
                        "OBX-0301: there is no schema for the database H2 in Oracle mode, where an empty key becomes null,");
    }

    private static JdbcOutboxStore open(String settings) {
        JdbcDataSource memory = new JdbcDataSource();
        memory.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;" + settings);
        return JdbcOutboxStore.open(
                memory, TestDatabase.config(SchemaMode.CREATE, "shop", 4), Set.of(TestMessages.DESTINATION));
    }
}

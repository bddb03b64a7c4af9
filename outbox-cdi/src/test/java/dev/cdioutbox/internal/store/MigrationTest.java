package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From one version of the tables to the next, which here only adds what this one does not know of. */
@Timeout(300)
class MigrationTest extends StoreContract {
    private static final String TO_2 = """
            -- As a file of a later version would be.
            ALTER TABLE ${prefix}message ADD note VARCHAR(20) DEFAULT 'none';
            CREATE INDEX ${index}message_note ON ${prefix}message (note);
            UPDATE ${prefix}message SET attempts = attempts + 100;
            INSERT INTO ${prefix}schema (version, readable_from) VALUES (2, 1);
            """;

    private static final String TO_3 = """
            ALTER TABLE ${prefix}node ADD note VARCHAR(20);
            INSERT INTO ${prefix}schema (version, readable_from) VALUES (3, 3);
            """;

    MigrationTest(Database kind) {
        super(kind);
    }

    @Test
    void tablesOfThePreviousVersionAreMigratedAndKeepTheirMessages() {
        database.open(4).write(keyed("kept"));

        JdbcOutboxStore store = open(SchemaMode.CREATE, 2);

        assertThat(versions()).containsExactly("0", "1", "2");
        assertThat(database.query("SELECT note FROM shop_message")).containsExactly("none");
        deliver(store, "kept");
    }

    @Test
    void versionsInBetweenAreNotLeftOut() {
        database.open(4).write(keyed("kept"));

        JdbcOutboxStore store = open(SchemaMode.CREATE, 3);

        assertThat(versions()).containsExactly("0", "1", "2", "3");
        assertThat(database.query("SELECT attempts FROM shop_message")).containsExactly("100");
        deliver(store, "kept");
    }

    @Test
    void emptyDatabaseGetsTheLatestVersionAtOnce() {
        open(SchemaMode.CREATE, 3);

        assertThat(versions()).contains("0", "3");
        assertThat(database.query("SELECT note FROM shop_node")).isEmpty();
    }

    @Test
    void nodesThatStartTogetherMigrateOnce() throws Exception {
        database.open(4).write(keyed("a", "b"));
        ExecutorService nodes = Executors.newFixedThreadPool(8);
        try {
            List<Callable<JdbcOutboxStore>> starts = new ArrayList<>();
            for (int node = 0; node < 8; node++) {
                starts.add(() -> open(SchemaMode.CREATE, 2));
            }
            for (Future<JdbcOutboxStore> start : nodes.invokeAll(starts)) {
                assertThatCode(start::get).doesNotThrowAnyException();
            }
        } finally {
            nodes.shutdownNow();
        }

        assertThat(versions()).containsExactly("0", "1", "2");
        assertThat(database.query("SELECT attempts FROM shop_message")).containsExactly("100", "100");
    }

    @Test
    void migrationThatWasCutShortIsTakenUpWhereItEnded() {
        database.open(4);
        List<String> statements = scripts(2).migrations().get(0);
        database.update(statements.get(0));
        database.update(statements.get(1));

        open(SchemaMode.CREATE, 2);

        assertThat(versions()).containsExactly("0", "1", "2");
    }

    @Test
    void validatingSaysWhatToApply() {
        database.open(4);

        assertThatThrownBy(() -> open(SchemaMode.VALIDATE, 2))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith(
                        "OBX-0303: table shop_message cannot be used: it is of version 1, and this outbox"
                                + " works with version 2")
                .hasMessageContaining("ALTER TABLE shop_message ADD note")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("CREATE TABLE"));
        assertThat(versions()).containsExactly("0", "1");

        scripts(2).migrations().get(0).forEach(database::update);
        assertThatCode(() -> open(SchemaMode.VALIDATE, 2)).doesNotThrowAnyException();
    }

    /** For as long as a rolling upgrade takes, whichever of them wrote a message; and if it is called off. */
    @ParameterizedTest
    @EnumSource(SchemaMode.class)
    void neighbouringVersionsShareTheTables(SchemaMode mode) {
        JdbcOutboxStore old = database.open(4);
        old.write(keyed("of-old"));
        JdbcOutboxStore young = open(SchemaMode.CREATE, 2);
        young.write(keyed("of-young"));

        deliver(young, "of-old", "of-young");
        old.write(keyed("of-old-2"));
        young.write(keyed("of-young-2"));
        deliver(old, "of-old-2", "of-young-2");
        database.update("DELETE FROM shop_message");
        EveryStatement.run(young);
        database.update("DELETE FROM shop_message");
        EveryStatement.run(old);

        database.update("DELETE FROM shop_message");
        JdbcOutboxStore back = database.open(mode, "shop", 4);
        EveryStatement.run(back);
        assertThat(versions()).containsExactly("0", "1", "2");
    }

    @ParameterizedTest
    @EnumSource(
            value = SchemaMode.class,
            names = {"CREATE", "VALIDATE"})
    void versionThatThisOneMustNotReadIsRefusedAndLeftAsItIs(SchemaMode mode) {
        database.open(4);
        open(SchemaMode.CREATE, 3);

        assertThatThrownBy(() -> database.open(mode, "shop", 4))
                .hasMessageStartingWith("OBX-0308")
                .hasMessageContaining("it belongs to a newer version");
        assertThatThrownBy(() -> open(mode, 2)).hasMessageStartingWith("OBX-0308");
        assertThat(versions()).containsExactly("0", "1", "2", "3");
    }

    private JdbcOutboxStore open(SchemaMode mode, int version) {
        return open(database, mode, version);
    }

    /** As the outbox of a later version would. */
    static JdbcOutboxStore open(TestDatabase database, SchemaMode mode, int version) {
        return JdbcOutboxStore.open(
                database.dataSource(),
                TestDatabase.config(mode, "shop", 4),
                Set.of(DESTINATION, "audit"),
                (dialect, prefix) -> scripts(dialect, version),
                System::nanoTime);
    }

    private SchemaScripts scripts(int version) {
        return scripts(database.kind().dialect(), version);
    }

    private static SchemaScripts scripts(Dialect dialect, int version) {
        List<List<String>> migrations = Stream.of(TO_2, TO_3)
                .map(text -> SchemaFile.statements(text, dialect, TestDatabase.PREFIX))
                .limit(version - 1L)
                .toList();
        List<String> create = new ArrayList<>(SchemaFile.statements(dialect, "1", TestDatabase.PREFIX));
        migrations.forEach(create::addAll);
        return new SchemaScripts(version, create, migrations);
    }

    private List<String> versions() {
        return database.query("SELECT version FROM shop_schema ORDER BY version");
    }

    static void deliver(JdbcOutboxStore store, String... texts) {
        try (Claim claim = store.claim(DESTINATION, 0, new ClaimLimits(4, 500, 1_000_000))) {
            assertThat(TestMessages.texts(claim.messages())).containsExactlyInAnyOrder(texts);
            List<Long> sequences =
                    claim.messages().stream().map(OutboxMessage::sequence).toList();
            store.settle(new Settlement(sequences, List.of()));
        }
    }
}

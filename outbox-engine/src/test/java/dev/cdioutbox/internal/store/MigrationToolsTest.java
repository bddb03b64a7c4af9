package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.schema.SchemaFile;
import liquibase.Scope;
import liquibase.command.CommandScope;
import liquibase.command.core.UpdateCommandStep;
import liquibase.command.core.helpers.DbUrlConnectionArgumentsCommandStep;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.DirectoryResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;

/** Guards that Flyway and Liquibase apply the schema file with the settings of the page. */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@EachDatabase(dev.cdioutbox.internal.store.Database.POSTGRESQL)
class MigrationToolsTest {
    @AutoClose
    private final TestDatabase database;

    @TempDir
    private Path folder;

    private String page;

    MigrationToolsTest(dev.cdioutbox.internal.store.Database kind) {
        database = new TestDatabase(kind);
    }

    @BeforeEach
    void readPage() throws IOException {
        page = Files.readString(Path.of("../docs/howto/flyway-liquibase.md"));
    }

    @Test
    void flywayCreatesTheTables() throws IOException {
        copySchemaTo("V7__outbox_1.sql");

        flyway();

        assertTablesAreAccepted();
    }

    /** With a version that was made up: a script for nodes that work has a form that no other schema file has. */
    @Test
    void flywayAppliesTheScriptOfAnUpgrade() throws IOException {
        copySchemaTo("V7__outbox_1.sql");
        copy("1-to-2.sql", "V8__outbox_2.sql");
        Files.writeString(folder.resolve("V8__outbox_2.sql.conf"), "executeInTransaction=false");

        flyway();

        assertThat(database.query("SELECT version FROM outbox_schema ORDER BY version"))
                .containsExactly("1", "2");
        assertTablesAreAccepted();
    }

    private void flyway() throws IOException {
        Properties documented = new Properties();
        documented.load(new StringReader(block("## Flyway\n", "")));
        assertThat(documented).isNotEmpty();
        Flyway.configure()
                .configuration(documented)
                .dataSource(database.dataSource())
                .locations("filesystem:" + folder)
                .load()
                .migrate();
    }

    @Test
    void liquibaseCreatesTheTables() throws Exception {
        Files.writeString(
                folder.resolve("changelog.xml"), """
                <databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog"
                    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                    xsi:schemaLocation="http://www.liquibase.org/xml/ns/dbchangelog
                        http://www.liquibase.org/xml/ns/dbchangelog/dbchangelog-latest.xsd">
                """ + block("## Liquibase\n", "xml") + "</databaseChangeLog>");
        copySchemaTo("outbox-1.sql");

        try (Database target = DatabaseFactory.getInstance()
                .findCorrectDatabaseImplementation(
                        new JdbcConnection(database.dataSource().getConnection()))) {
            Scope.child(Scope.Attr.resourceAccessor, new DirectoryResourceAccessor(folder), () -> {
                new CommandScope(UpdateCommandStep.COMMAND_NAME)
                        .addArgumentValue(DbUrlConnectionArgumentsCommandStep.DATABASE_ARG, target)
                        .addArgumentValue(UpdateCommandStep.CHANGELOG_FILE_ARG, "changelog.xml")
                        .execute();
            });
        }

        assertTablesAreAccepted();
    }

    private String block(String heading, String language) {
        Matcher block =
                Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```").matcher(page.substring(page.indexOf(heading)));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    private void copySchemaTo(String file) throws IOException {
        copy("1.sql", file);
    }

    private void copy(String name, String file) throws IOException {
        try (InputStream schema = SchemaFile.class.getResourceAsStream("postgresql/" + name)) {
            Files.copy(schema, folder.resolve(file));
        }
    }

    private void assertTablesAreAccepted() {
        StoreConfig config = new StoreConfig(
                "jdbc/shop", SchemaMode.VALIDATE, "outbox_", "shop", 4, Ordering.STRICT, null, StoreConfig.Cdc.NONE);
        assertThatCode(() -> JdbcOutboxStore.open(database.dataSource(), config, Set.of("default")))
                .doesNotThrowAnyException();
    }
}

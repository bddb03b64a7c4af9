package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each statement of each database stands whole in {@code src/test/sql}, under the class and field that it belongs to. So a
 * change of SQL is a visible difference, a database administrator can read what runs, and EXPLAIN has something to paste.
 */
class PublishedStatementsTest {
    private static final Path PUBLISHED = Path.of("src/test/sql");
    private static final Path BUILT = Path.of("target/sql");

    static List<Dialect> dialects() {
        return SupportedDatabases.ALL;
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void fileHasEachStatement(Dialect dialect) throws IOException {
        String statements = StatementCatalog.of("outbox_", dialect).entrySet().stream()
                .map(statement -> "-- %s%n%s;%n"
                        .formatted(statement.getKey(), statement.getValue().replace("%s", "?")))
                .collect(Collectors.joining("\n"));
        String name = dialect.folder() + ".sql";
        Files.createDirectories(BUILT);
        Files.writeString(BUILT.resolve(name), statements);

        assertThat(PUBLISHED.resolve(name))
                .as("if the change is meant, copy outbox-engine/%s to outbox-engine/%s", BUILT.resolve(name), PUBLISHED)
                .hasContent(statements);
    }
}

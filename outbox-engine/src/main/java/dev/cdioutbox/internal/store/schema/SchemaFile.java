package dev.cdioutbox.internal.store.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * A schema file of a database in the jar, as statements with the prefix of the tables.
 *
 * @param name the file name without folder and extension
 * @param prefix the table prefix, with or without the name of a database schema
 */
public record SchemaFile(String name, Dialect dialect, String prefix) {
    /** A semicolon at the end of a line, but for one between two {@code $$}, as the upgrade scripts of PostgreSQL have them. */
    private static final String END_OF_STATEMENT = ";\\s*(\\n|$)(?=([^$]*[$]{2}[^$]*[$]{2})*[^$]*$)";

    /** The statements, with the prefix filled in. A repeated execution is harmless. */
    public List<String> statements() {
        try (InputStream file = SchemaFile.class.getResourceAsStream(path())) {
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.strip().startsWith("--"))
                    .collect(Collectors.joining("\n"))
                    .replace("${prefix}", prefix)
                    .replace("${index}", dialect.indexPrefix(prefix));
            return Arrays.stream(text.split(END_OF_STATEMENT))
                    .map(String::strip)
                    .filter(statement -> !statement.isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(path(), e);
        }
    }

    private String path() {
        return "%s/%s.sql".formatted(dialect.folder(), name);
    }

    /** The place of the file, and the values of its placeholders. */
    @Override
    public String toString() {
        return "%s/%s in outbox-engine.jar (${prefix} is %s, ${index} is %s)"
                .formatted(
                        SchemaFile.class.getPackageName().replace('.', '/'),
                        path(),
                        prefix,
                        dialect.indexPrefix(prefix));
    }
}

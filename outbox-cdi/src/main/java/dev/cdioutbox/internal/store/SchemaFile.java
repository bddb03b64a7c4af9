package dev.cdioutbox.internal.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Reads a schema file and splits it into statements. */
final class SchemaFile {
    private SchemaFile() {}

    /**
     * @param name of the file, without the folder and the extension
     * @param prefix of the tables, with a schema's name before it or not
     */
    static List<String> statements(Dialect dialect, String name, String prefix) {
        String path = "%s/%s.sql".formatted(dialect.folder(), name);
        try (InputStream file = SchemaFile.class.getResourceAsStream(path)) {
            return statements(new String(file.readAllBytes(), StandardCharsets.UTF_8), dialect, prefix);
        } catch (IOException e) {
            throw new UncheckedIOException(path, e);
        }
    }

    static List<String> statements(String script, Dialect dialect, String prefix) {
        String text = script.lines()
                .filter(line -> !line.strip().startsWith("--"))
                .collect(Collectors.joining("\n"))
                .replace("${prefix}", prefix)
                .replace("${index}", dialect.indexPrefix(prefix));
        return Arrays.stream(text.split(";\\s*(\\n|$)"))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }
}

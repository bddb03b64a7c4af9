package dev.cdioutbox.internal.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A schema file, cut into statements. */
final class Script {
    private Script() {}

    static List<String> statements(Dialect dialect, int version, String prefix) {
        String name = "%s/%d.sql".formatted(dialect.folder(), version);
        try (InputStream file = Script.class.getResourceAsStream(name)) {
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.strip().startsWith("--"))
                    .collect(Collectors.joining("\n"));
            return Arrays.stream(text.replace("${prefix}", prefix).split(";\\s*(\\n|$)"))
                    .map(String::strip)
                    .filter(statement -> !statement.isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}

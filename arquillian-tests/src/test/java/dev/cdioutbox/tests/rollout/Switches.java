package dev.cdioutbox.tests.rollout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Variables in server.xml that a test changes while the server runs, as an operator does. */
public final class Switches implements AutoCloseable {
    private static final Path OVERRIDES =
            Path.of(System.getProperty("server.config.dir"), "configDropins", "overrides", "rollout.xml");

    private final Map<String, String> variables = new TreeMap<>();

    /** Changes several variables at once. */
    public void turn(Map<String, String> switches) {
        variables.putAll(switches);
        String xml = variables.entrySet().stream()
                .map(v -> "<variable name=\"%s\" value=\"%s\" />%n".formatted(v.getKey(), v.getValue()))
                .collect(Collectors.joining("", "<server>", "</server>"));
        try {
            Files.createDirectories(OVERRIDES.getParent());
            Path written = Files.writeString(Files.createTempFile("rollout", ".xml"), xml);
            Files.move(written, OVERRIDES, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(OVERRIDES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
